import type { AgentPlaces } from '../types.ts'

/**
 * The environment that supervise.sh is given and hands on. It must not carry SVC_RUN_ID, which supervise.sh sets for
 * the
 * program alone: by it end-run.sh finds what belongs to a run, and the supervisor is not to be among them.
 */
export function runEnvironment(
  places: AgentPlaces,
  { SVC_RUN_ID: _, ...own }: Record<string, string>,
): Record<string, string> {
  return {
    HOME: places.home,
    SVC_OUTPUT_DIR: places.output,
    SVC_SECRETS_DIR: places.secrets,
    SVC_CREW_SHARED: places.crewShared,
    ...own,
  }
}
