#!/bin/sh
# end-run.sh RUN_DIR RUN_ID [TENTHS]
#
# Ends a run: TERM to its process group and to every process of this user that carries its id, a wait of TENTHS of a
# second (10 s), then KILL until none is left. A run that has not started never will. Afterwards RUN_DIR/exit exists.
# Runs as the agent.
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
# A full disk must not keep the run alive. In a subshell, because a failed redirection would end this script.
(: >"$dir.cancel")

# Program and id among the arguments prove that the pid is still our supervisor's. The id alone does not: this script
# has it too, and in a new container its own pid may be the one in the file.
supervised() {
  [ -s "$dir.run" ] && read -r supervisor <"$dir.run" && grep -qsz '/supervise[.]sh$' "/proc/$supervisor/cmdline" &&
    grep -qszxF -- "$id" "/proc/$supervisor/cmdline"
}

# The number of a process group may be reused, so it counts only while a process of the run is in the group.
find_group() {
  group=
  [ -s "$dir/group" ] && read -r group <"$dir/group" || return
  supervised || grep -qszxF -- "SVC_RUN_ID=$id" "/proc/$group/environ" || group=
}

# Whether a process is in the run's group, which got the signal already: no program may get it twice.
grouped() {
  [ -n "$group" ] && read -r stat 2>/dev/null <"/proc/$1/stat" || return
  # shellcheck disable=SC2086 # after the name in brackets: state, parent, group
  set -- ${stat##*') '}
  [ "$3" = "$group" ]
}

# Succeeds when a process received the signal.
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

# A shell cannot wait for processes that are not its children, so it polls.
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

# Without a folder nothing began: the supervisor died before it made one, or a discard was cut short.
if [ ! -d "$dir" ] && ! supervised; then
  mkdir "$dir"
  echo 'never its files are gone' >"$dir/exit"
  exit 0
fi

# The supervisor writes the record as soon as the disk has space.
tries=0
while [ ! -s "$dir/exit" ] && supervised; do
  tries=$((tries + 1))
  [ $tries -lt 1000 ] || { echo "the end of run $id cannot be written" >&2 && exit 1; }
  sleep 0.02
done
[ -d "$dir" ] || mkdir "$dir"
[ -s "$dir/exit" ] || echo lost >"$dir/exit"
