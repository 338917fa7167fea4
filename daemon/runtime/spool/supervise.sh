#!/bin/sh
# supervise.sh RUN_DIR RUN_ID SECONDS PROGRAM [ARGUMENT...]
#
# Starts one run and stays until nothing of its process group is left. Standard input is a tar archive of absolute paths
# (the run's files, the FIFO RUN_DIR/alive and, last, RUN_DIR/in); "started" on standard output says that the program is
# going. Runs as the agent. Shell and not Node, and with as few programs as can be, because a run may cost little more than
# its own program.
#
# RUN_DIR.run     made first and by one alone: our process id         RUN_DIR.cancel   made by end-run.sh
# In RUN_DIR: in, out, err    the program's standard streams           group            the program's process group
#             alive           a FIFO that we hold open: whoever reads it learns of our death, however it came
#             exit            one line, once: "exited N", "timed-out N", "never REASON" or "lost"
set -u
umask 027
dir=$1 id=$2 seconds=$3
shift 3

refuse() {
  [ -d "$dir" ] || mkdir "$dir"
  [ -e "$dir/exit" ] || echo "never $1" >"$dir/exit"
  echo "$1" >&2
  exit 70
}

# How it came out is not lost to a full disk: we stay until it is written, or nobody wants it any more.
record() {
  until echo "$1" >"$dir/exit" || [ ! -d "$dir" ]; do sleep 0.5 9>&-; done
}

set -C
if ! { echo $$ >"$dir.run"; } 2>/dev/null; then
  if [ -s "$dir.run" ]; then echo 'this run was started or ended before' >&2; else echo "the file $dir.run cannot be made" >&2; fi
  exit 70
fi
set +C

# Whoever made this folder first can read what is put into it.
if [ -n "${SVC_SECRETS_DIR:-}" ]; then
  [ -e "$SVC_SECRETS_DIR" ] || mkdir -m 700 "$SVC_SECRETS_DIR" 2>/dev/null
  [ -d "$SVC_SECRETS_DIR" ] && [ -O "$SVC_SECRETS_DIR" ] && [ ! -L "$SVC_SECRETS_DIR" ] || refuse "$SVC_SECRETS_DIR belongs to somebody else"
  # What an earlier run was given and this one is not has been taken from the agent since.
  for it in "$SVC_SECRETS_DIR"/* "$SVC_SECRETS_DIR"/.[!.]*; do [ ! -e "$it" ] || rm -rf -- "$it"; done
fi
tar -xpmf - -C / --no-same-owner >&2 || refuse 'its files did not arrive whole'
[ -f "$dir/in" ] && [ -p "$dir/alive" ] || refuse 'its files did not arrive whole'
cd "${SVC_OUTPUT_DIR:-/}" || refuse "no folder ${SVC_OUTPUT_DIR:-/}"

: >>"$dir/out"
: >>"$dir/err"
exec 9<>"$dir/alive"
# end-run.sh makes `cancel` before it looks for `run`; we do it the other way round, so one of us sees the other.
[ -e "$dir.cancel" ] && refuse 'ended before it began'

# timeout makes a process group of its own and says on standard error when it acts: that tells its 124 from a program's.
(
  umask 002
  export SVC_RUN_ID="$id"
  exec timeout -v -k 10 "$seconds" "$@"
) <"$dir/in" >>"$dir/out" 2>>"$dir/err" 9>&- &
group=$!
trap '' HUP INT PIPE TERM
# Who cannot be found cannot be ended: it must not go on.
if ! echo "$group" >"$dir/group"; then
  kill -s TERM "$group"
  wait "$group"
  refuse "the file $dir/group cannot be written"
fi
echo started
exec </dev/null >/dev/null 2>&1

wait "$group"
status=$?

if [ ! -e "$dir.cancel" ] && { [ $status -eq 124 ] || [ $status -eq 137 ]; } && grep -q '^timeout: sending signal ' "$dir/err"; then
  record "timed-out $status"
  "${0%/*}/end-run.sh" "$dir" "$id" 9>&-
  exit
fi
# What the program left in its group ends with it: a shell can only look again for processes that are not its children.
if kill -s TERM -- "-$group" 2>/dev/null; then
  tries=0
  while [ $tries -lt 40 ] && kill -s 0 -- "-$group" 2>/dev/null; do
    tries=$((tries + 1))
    sleep 0.05 9>&-
  done
  kill -s KILL -- "-$group" 2>/dev/null
fi
record "exited $status"
