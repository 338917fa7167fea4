import type { BegunScript, Script } from '#kernel/scripts'
import { proxyEnv } from '../adapters/adapter.ts'
import type { AgentPlaces, AgentSpec, RunSpec } from '../types.ts'

/**
 * Runs the file by its interpreter, since the folder that a crew shares lets nothing be started by itself. A file that
 * must have a certain content is copied first: agents of the crew can write the one that is shared.
 */
const starter = `file=$1 sum=$2 interpreter=$3
shift 3
[ -f "$file" ] || { echo "There is no file $file" >&2; exit 127; }
command -v "$interpreter" >/dev/null || { echo "The container has no $interpreter" >&2; exit 127; }
if [ -n "$sum" ]; then
  copy="$HOME/script-\${file##*/}"
  cp -- "$file" "$copy" || exit 126
  if ! echo "$sum  $copy" | sha256sum -c --status; then
    echo "The content of $file is not the one that is expected" >&2
    exit 126
  fi
  file=$copy
fi
exec "$interpreter" "$file" "$@"`

export function specOf(
  crewId: string,
  agent: AgentSpec,
  places: AgentPlaces,
  { program }: BegunScript,
  { path, interpreter, args, env, stdin, sha256 = '', seconds }: Script,
): RunSpec {
  return {
    runId: program,
    crewId,
    agent,
    argv: ['sh', '-c', starter, 'sh', `${places.crewShared}/${path}`, sha256, interpreter, ...args],
    env: { ...proxyEnv(places.sidecarUrl), SVC_CREW_ID: crewId, ...env },
    files: [],
    stdin,
    timeoutSeconds: seconds,
  }
}
