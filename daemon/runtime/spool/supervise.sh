#!/bin/sh
# supervise.sh RUN_DIR RUN_ID SECONDS PROGRAM [ARGUMENT...]
#
# Starts one run and stays until its process group is empty. Standard input is a tar archive of absolute paths (the
# run's files, the FIFO RUN_DIR/alive and, last, RUN_DIR/in); "started" on standard output says that the program is
# running. Runs as the agent. A shell script with few programs, instead of Node, so that a run costs little more than
# its program.
#
# RUN_DIR.run     our process id, created exclusively                  RUN_DIR.cancel   created by end-run.sh
# In RUN_DIR: in, out, err    the program's standard streams           group            the program's process group
#             alive           a FIFO that we hold open: a reader learns of our death, whatever its cause
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

# Retries until the record is written, also on a full disk, or until RUN_DIR is gone.
record() {
  until echo "$1" >"$dir/exit" || [ ! -d "$dir" ]; do sleep 0.5 9>&-; done
}

set -C
if ! { echo $$ >"$dir.run"; } 2>/dev/null; then
  if [ -s "$dir.run" ]; then echo 'this run was started or ended before' >&2; else echo "the file $dir.run cannot be made" >&2; fi
  exit 70
fi
set +C

# The owner of this folder could read the secrets, so it must be ours.
if [ -n "${SVC_SECRETS_DIR:-}" ]; then
  [ -e "$SVC_SECRETS_DIR" ] || mkdir -m 700 "$SVC_SECRETS_DIR" 2>/dev/null
  [ -d "$SVC_SECRETS_DIR" ] && [ -O "$SVC_SECRETS_DIR" ] && [ ! -L "$SVC_SECRETS_DIR" ] || refuse "$SVC_SECRETS_DIR belongs to somebody else"
  # Removes secrets of earlier runs, which may have been taken from the agent since.
  for it in "$SVC_SECRETS_DIR"/* "$SVC_SECRETS_DIR"/.[!.]*; do [ ! -e "$it" ] || rm -rf -- "$it"; done
fi
tar -xpmf - -C / --no-same-owner >&2 || refuse 'its files did not arrive whole'
[ -f "$dir/in" ] && [ -p "$dir/alive" ] || refuse 'its files did not arrive whole'
cd "${SVC_OUTPUT_DIR:-/}" || refuse "no folder ${SVC_OUTPUT_DIR:-/}"

: >>"$dir/out"
: >>"$dir/err"
exec 9<>"$dir/alive"
# end-run.sh creates `cancel` before it checks for `run`; this script does the reverse, so that one sees the other.
[ -e "$dir.cancel" ] && refuse 'ended before it began'

# timeout creates a process group and reports on standard error when it acts, which tells its 124 from a program's.
(
  umask 002
  export SVC_RUN_ID="$id"
  exec timeout -v -k 10 "$seconds" "$@"
) <"$dir/in" >>"$dir/out" 2>>"$dir/err" 9>&- &
group=$!
trap '' HUP INT PIPE TERM
# A run whose group is not recorded could not be ended later, so it is ended now.
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
# Ends what the program left in its group. A shell cannot wait for processes that are not its children, so it polls.
if kill -s TERM -- "-$group" 2>/dev/null; then
  tries=0
  while [ $tries -lt 40 ] && kill -s 0 -- "-$group" 2>/dev/null; do
    tries=$((tries + 1))
    sleep 0.05 9>&-
  done
  kill -s KILL -- "-$group" 2>/dev/null
fi
record "exited $status"
