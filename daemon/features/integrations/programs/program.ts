import type { App } from '#kernel/app'
import type { ServerProgram } from '#runtime/types'
import type { ServerRow } from '../queries.ts'
import { readArgs } from '../rules.ts'
import { openVariables } from '../variables.ts'

/** What is run for a server over standard streams. */
export const programOf = (app: App, server: ServerRow): ServerProgram => ({
  serverId: server.id,
  argv: [server.command!, ...(server.args_json === null ? [] : readArgs(server.args_json))],
  env: openVariables(app, server),
})
