#!/usr/bin/perl
# watch-writes.pl SINCE ROOT...
#
# Tells who writes which files below the roots, as far as their owners say. Perl, because every Debian has it and it can
# ask the kernel for inotify by itself: Node has no event for "closed after writing" and runs a callback for each event.
# Ends when standard input does. Files that were changed in the last SINCE seconds count as written.
#
# Lines on standard output, whose parts are separated by tabs, and paths escaped as in URLs:
#   ready FOLDERS           all folders are watched
#   new UID AGO PATH        the user created the file, or replaced it, so many seconds ago
#   in UID AGO PATH         somebody wrote in place into the user's file
#   old UID AGO PATH        found when a folder was first read: the user's file, changed then
#   limit WHAT PATH         not watched from here on: `folders`, `watches` (the kernel's limit), `deep`, `entries`
#   left COUNT              so many writes in place were not told
#   overflow                the kernel dropped events
# A file that one user alone created or replaced is not told: only what somebody else wrote before or writes after.
use strict;
use warnings;
use Config;
use Time::HiRes qw(time);

my ($ago, @roots) = @ARGV;
my $since = int(time) - $ago;
# Of two writes of a file between two looks only the later one is seen: what is rare is looked at soon. What is frequent
# is read a thousand at a time, which costs least, and long before the kernel's queue of 16,384 is full. What takes long
# is followed by a rest nine times as long, so that agents keep the processor.
my ($soon, $few, $atOnce, $waitSeconds, $longestWait, $share) = (0.05, 20, 4000, 0.5, 10, 9);
my ($mostFolders, $mostEntries, $mostDepth, $mostPath) = (8192, 200_000, 40, 1000);
my ($mostKept, $mostNew, $mostTold) = (50_000, 10_000, 128);
my ($firstAgent, $lastAgent) = (20_001, 29_999);

my ($closeWrite, $movedFrom, $movedTo, $create, $moveSelf) = (0x8, 0x40, 0x80, 0x100, 0x800);
my ($overflowed, $ignored, $isDir) = (0x4000, 0x8000, 0x40000000);
my $special = $overflowed | $ignored | $isDir | $moveSelf;
# Folders alone, links not followed, and nothing that is unlinked.
my $wanted = $closeWrite | $movedFrom | $movedTo | $create | $moveSelf | 0x07000000;

# What is not watched: nobody edits it, and tools write it by the thousand.
my %unwatched = map { $_ => 1 } qw(node_modules .hg .svn .cache .npm .yarn .pnpm-store .gradle .m2 .cargo .rustup .next
  .nuxt .turbo .parcel-cache .vite .svelte-kit .angular .venv venv __pycache__ .pytest_cache .mypy_cache .ruff_cache
  .tox .nox .terraform .idea .vscode lost+found);
# The kinds of folders, and what of them is read: all of a plain one, and of a repository its index and its branches.
my %files = (git => qr/^(?:index|HEAD|packed-refs)$/, heads => qr/(?<!\.lock)$/, worktree => qr/^(?:index|HEAD)$/);
my %within = (
  plain => sub { $unwatched{ $_[0] } ? undef : $_[0] =~ /\.git$/ ? 'git' : 'plain' },
  git => sub { { refs => 'refs', worktrees => 'worktrees' }->{ $_[0] } },
  refs => sub { $_[0] eq 'heads' ? 'heads' : undef },
  heads => sub { 'heads' },
  worktrees => sub { 'worktree' },
  worktree => sub { undef },
);

my ($initCall, $addCall, $removeCall) = $Config{archname} =~ /^x86_64/ ? (294, 254, 255) : (26, 27, 28);
my $inotify = syscall $initCall, 0x80800; # non-blocking, closed on exec
die "inotify: $!\n" if $inotify < 0;
open my $events, '<&=', $inotify or die "inotify: $!\n";

# By watch: path, kind and inode of the folder.
my (%path, %kind, %inode);
# By folder and name: who wrote a file last, when and how, as one number; and how many there are. The older half is
# forgotten when the newer one is full.
my (%writes, %earlier);
my $kept = 0;
# Files that were created and not closed yet.
my %open;
my ($new, $in, $old) = (0, 1, 2);
my @words = qw(new in old);
my ($out, $told, $left, $entries, $looked, %limits) = ('', 0, 0, 0, 0);

sub escaped {
  my ($text) = @_;
  $text =~ s/([^\x21-\x24\x26-\x7e])/sprintf '%%%02X', ord $1/ge;
  return $text;
}

sub say_write {
  my ($how, $uid, $seconds, $path) = @_;
  my $past = int(time) - $seconds;
  $out .= join("\t", $words[$how], $uid, $past > 0 ? $past : 0, escaped($path)) . "\n";
  $told++;
}

sub say_limit {
  my ($what, $path) = @_;
  $out .= "limit\t$what\t" . escaped($path) . "\n" unless $limits{$what}++;
}

# Remembers a write, and tells it when another one is known to which it may be opposed.
sub note {
  my ($how, $uid, $seconds, $folder, $name) = @_;
  return if $uid < $firstAgent || $uid > $lastAgent;
  my $known = $writes{$folder} //= {};
  my $before = $known->{$name};
  if (!defined $before) {
    $before = $earlier{$folder}{$name} if exists $earlier{$folder};
    if (++$kept > $mostKept) {
      %earlier = %writes;
      %writes = ($folder => $known = {});
      $kept = 1;
    }
  }
  if ($how == $in || defined $before && ($before >> 40 != $uid || ($before >> 38 & 3) == $in)) {
    return $left++ if $told >= $mostTold;
    say_write($before >> 38 & 3, $before >> 40, $before & (1 << 38) - 1, "$folder/$name")
      if defined $before && ($before >> 38 & 3) != $in;
    say_write($how, $uid, $seconds, "$folder/$name");
  }
  $known->{$name} = $uid << 40 | $how << 38 | $seconds;
}

# Watches a folder and what is below it; $how its files are noted, those changed since then.
sub watch {
  my ($root, $rootKind, $how, $after) = @_;
  my @folders = ([$root, $rootKind]);
  while (my $next = shift @folders) {
    my ($folder, $kind) = @$next;
    if (keys %path >= $mostFolders) { say_limit('folders', $folder); return }
    if (length $folder > $mostPath || ($folder =~ tr{/}{}) > $mostDepth) { say_limit('deep', $folder); next }
    my $watch = syscall $addCall, $inotify, $folder, $wanted;
    if ($watch < 0) {
      say_limit('watches', $folder) if $!{ENOSPC} || $!{ENOMEM};
      next;
    }
    ($path{$watch}, $kind{$watch}, $inode{$watch}) = ($folder, $kind, (lstat $folder)[1] // 0);
    opendir my $list, $folder or next;
    while (defined(my $name = readdir $list)) {
      next if $name eq '.' || $name eq '..';
      if (++$entries > $mostEntries) { say_limit('entries', $folder); last }
      my (undef, undef, $mode, undef, $uid, undef, undef, undef, undef, $changed) = lstat "$folder/$name";
      next unless defined $mode;
      if (-d _) {
        my $inner = $within{$kind}->($name);
        push @folders, ["$folder/$name", $inner] if defined $inner;
      } elsif ($changed >= $after && -f _ && reads($kind, $name)) {
        # Its owner may have dated it into the future, by more than a note has room for.
        note($how, $uid, $changed > time ? int time : $changed, $folder, $name);
      }
    }
  }
}

sub reads {
  my ($kind, $name) = @_;
  return 1 if $kind eq 'plain';
  my $files = $files{$kind};
  return defined $files && $name =~ $files;
}

# Forgets a folder that was moved to where nothing is watched, and what is below it.
sub leave {
  my ($gone) = @_;
  for my $watch (keys %path) {
    next unless $path{$watch} eq $gone || index($path{$watch}, "$gone/") == 0;
    syscall $removeCall, $inotify, $watch + 0;
    forget($watch);
  }
}

sub forget {
  my ($watch) = @_;
  delete $_->{$watch} for \%path, \%kind, \%inode;
}

sub watch_all {
  my ($after) = @_;
  $entries = 0;
  watch($_, 'plain', $old, $after) for @roots;
}

# What happened to a folder.
sub folder_event {
  my ($watch, $mask, $name) = @_;
  my $folder = $path{$watch};
  return unless defined $folder;
  if ($mask & $moveSelf) {
    leave($folder) if ((lstat $folder)[1] // 0) != $inode{$watch};
    return;
  }
  my $inner = $mask & $movedFrom ? undef : $within{ $kind{$watch} }->($name);
  return unless defined $inner;
  $entries = 0;
  my $made = $mask & $create;
  watch("$folder/$name", $inner, $made ? $new : $old, $made ? 0 : $since);
}

# What happened to the files of a folder since the last look: masks by name.
sub file_events {
  my ($watch, $files, $now) = @_;
  my $folder = $path{$watch};
  return unless defined $folder;
  my $kind = $kind{$watch};
  while (my ($name, $mask) = each %$files) {
    # What was moved away is gone, as a rule under the name that it was written for.
    next if ($mask & ($movedFrom | $movedTo)) == $movedFrom || $kind ne 'plain' && !reads($kind, $name);
    my (undef, undef, $mode, $links, $uid, undef, undef, undef, undef, $changed) = lstat "$folder/$name";
    next unless defined $mode && (($mode & 0170000) == 0100000 || ($mode & 0170000) == 0120000);
    my $how = $new;
    if ($mask & $create) {
      if (!($mask & $closeWrite)) {
        # Another name of a file is no write, whoever owns it.
        next if $links > 1;
        %open = () if keys %open > $mostNew;
        $open{"$folder/$name"} = 1;
      }
    } elsif ($mask & $movedTo) {
      next if $changed < $since;
    } else {
      $how = $in unless %open && delete $open{"$folder/$name"};
    }
    note($how, $uid, $now, $folder, $name);
  }
}

sub look {
  my ($now, $lost, $watch, $names, %files) = (int time, 0, -1);
  $looked = 0;
  while (sysread $events, my $bytes, 262_144) {
    my @parts = unpack '(l L x4 L/Z)*', $bytes;
    $looked += @parts / 3;
    for (my $at = 0; $at < @parts; $at += 3) {
      my $mask = $parts[$at + 1];
      if ($mask & $special) {
        if ($mask & $overflowed) { $lost = 1 }
        elsif ($mask & $ignored) { forget($parts[$at]) }
        else { folder_event(@parts[$at .. $at + 2]) }
      } else {
        # Most events are of the same folder as the one before.
        $names = $files{ $watch = $parts[$at] } //= {} if $parts[$at] != $watch;
        $names->{ $parts[$at + 2] } |= $mask;
      }
    }
    last if length $bytes < 131_072;
  }
  file_events($_, $files{$_}, $now) for keys %files;
  return $lost;
}

sub flush {
  $out .= "left\t$left\n" if $left;
  ($told, $left) = (0, 0);
  for (my $at = 0; $at < length $out;) {
    my $wrote = syswrite STDOUT, $out, length($out) - $at, $at;
    exit 0 unless defined $wrote;
    $at += $wrote;
  }
  $out = '';
}

# Waits for one of these to become readable; exits when standard input ends.
sub await_any {
  my ($seconds, @handles) = @_;
  my $bits = '';
  vec($bits, fileno $_, 1) = 1 for @handles;
  my $ready = select my $found = $bits, undef, undef, $seconds;
  exit 0 if $ready > 0 && vec($found, fileno STDIN, 1) && !sysread STDIN, my $ignored, 4096;
}

watch_all($since);
$out .= 'ready' . "\t" . keys(%path) . "\n";
flush();
my $rereadAt = 0;
my $lastLook = time;
while (1) {
  await_any(undef, \*STDIN, $events);
  # What comes meanwhile is read at once: few wake-ups, and a share of the processor however much there is.
  my $began = time;
  my $lost = look();
  if ($lost) {
    $out .= "overflow\n";
    if ($began > $rereadAt) {
      watch_all(int($lastLook) - 1);
      $rereadAt = time + 30;
    }
  }
  flush();
  my $took = time - $began;
  my $rate = $looked / ($began - $lastLook + 0.001);
  my $least = $looked <= $few ? $soon : $rate * $waitSeconds < $atOnce ? $waitSeconds : $atOnce / $rate;
  my $rest = $share * $took;
  $rest = $least if $rest < $least;
  $lastLook = $began;
  $rest = $longestWait if $rest > $longestWait;
  await_any($rest, \*STDIN);
}
