#!/bin/sh
# end-run.sh RUN_DIR RUN_ID [TENTHS]
#
# Ends a run: TERM to its process group and to every process of ours that carries its id, up to TENTHS of a second (10 s),
# then KILL until none is left. A run that was not started yet never will be. Afterwards RUN_DIR/exit is there. Runs as the agent.
set -u
umask 027
dir=$1 id=$2 patience=${3:-100}

set -C
if { echo 0 >"$dir.run"; } 2>/dev/null; then
  mkdir "$dir"
  echo 'never ended before it began' >"$dir/exit"
  exit 0
fi
set +C
[ -e "$dir.run" ] || { echo "no place for $dir.run" >&2 && exit 1; }
# A disk that takes no more files keeps no run alive: in a subshell, because a failed redirection here would end this script.
(: >"$dir.cancel")

# Program and id among the arguments prove that the number still means our supervisor. The id alone does not: we carry it too,
# and in a container made anew our own number may be the one that is written there.
supervised() {
  [ -s "$dir.run" ] && read -r supervisor <"$dir.run" && grep -qsz '/supervise[.]sh$' "/proc/$supervisor/cmdline" &&
    grep -qszxF -- "$id" "/proc/$supervisor/cmdline"
}

# A group's number outlives its group and may be given again: it counts only while one who belongs to the run vouches for it.
find_group() {
  group=
  [ -s "$dir/group" ] && read -r group <"$dir/group" || return
  supervised || grep -qszxF -- "SVC_RUN_ID=$id" "/proc/$group/environ" || group=
}

# Whether a process is of the run's group, which has had the signal: a program must not hear twice that it should end.
grouped() {
  [ -n "$group" ] && read -r stat 2>/dev/null <"/proc/$1/stat" || return
  # shellcheck disable=SC2086 # after the name in brackets: state, parent, group
  set -- ${stat##*') '}
  [ "$3" = "$group" ]
}

# Succeeds when somebody was there to receive the signal.
signal() {
  hit=1
  find_group
  [ -n "$group" ] && kill -s "$1" -- "-$group" 2>/dev/null && hit=0
  for path in $(grep -lszxF -- "SVC_RUN_ID=$id" /proc/[0-9]*/environ); do
    pid=${path#/proc/}
    pid=${pid%/environ}
    grouped "$pid" || { kill -s "$1" "$pid" 2>/dev/null && hit=0; }
  done
  return $hit
}

while [ ! -s "$dir/group" ] && [ ! -s "$dir/exit" ] && supervised; do sleep 0.02; done

# A shell cannot wait for processes that are not its children, so it looks again.
if signal TERM; then
  tries=0
  while [ $tries -lt "$patience" ] && signal 0; do
    tries=$((tries + 1))
    sleep 0.1
  done
fi
tries=0
while signal KILL; do
  tries=$((tries + 1))
  [ $tries -lt 250 ] || { echo "processes of run $id cannot be ended" >&2 && exit 1; }
  sleep 0.02
done

# The supervisor writes it as soon as the disk takes it.
tries=0
while [ ! -s "$dir/exit" ] && supervised; do
  tries=$((tries + 1))
  [ $tries -lt 1000 ] || { echo "the end of run $id cannot be written" >&2 && exit 1; }
  sleep 0.02
done
[ -d "$dir" ] || mkdir "$dir"
[ -s "$dir/exit" ] || echo lost >"$dir/exit"
