import type { App } from '#kernel/app'
import type { ServerProgram } from '#runtime/types'
import type { ServerRow } from '../queries.ts'
import { readArgs } from '../rules.ts'
import { openVariables } from '../variables.ts'
import { filledVariables, type Place } from './filling.ts'

/** What is run in a crew for a server over standard streams, and the credentials that are in it. Throws `Unusable`. */
export function programOf(
  app: App,
  place: Place,
  server: ServerRow,
): { program: ServerProgram; credentials: string[] } {
  const { env, credentials } = filledVariables(app, place, server, openVariables(app, server))
  const argv = [server.command!, ...(server.args_json === null ? [] : readArgs(server.args_json))]
  return { program: { serverId: server.id, argv, env }, credentials }
}
