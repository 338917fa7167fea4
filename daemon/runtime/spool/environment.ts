import type { AgentPlaces } from '../types.ts'

/**
 * The environment that supervise.sh gets and passes on. It must not contain SVC_RUN_ID, which supervise.sh sets for the
 * program only: end-run.sh finds the processes of a run by it, and the supervisor must not be one of them.
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
