import type { ServerRow } from './queries.ts'
import { shownVariables } from './variables.ts'

/** The members of a server that people see of it, wherever it belongs to. */
export const described = (row: ServerRow) => ({
  name: row.name,
  display_name: row.display_name,
  transport: row.transport,
  endpoint: row.endpoint,
  command: row.command,
  args_json: row.args_json,
  env_json: shownVariables(row),
  config_json: row.config_json,
  icon: row.icon,
  enabled: row.enabled === 1,
})
