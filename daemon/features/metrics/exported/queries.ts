import { statements } from '#kernel/store/db'

interface Ended {
  started: number
  finished: number | null
  input_tokens: number | null
  output_tokens: number | null
  cost_usd: number | null
}

interface Part {
  name: string
  n: number
}

export const queries = statements((db) => ({
  ended: db.prepare<[workspace: string, id: string], Ended>(
    `SELECT started, finished, input_tokens, output_tokens, cost_usd FROM run_records
     WHERE workspace_id = ? AND id = ?`,
  ),
  runs: db.prepare<[], Part>(
    "SELECT phase AS name, count(*) AS n FROM runs INDEXED BY runs_open WHERE phase <> 'ended' GROUP BY phase",
  ),
  decisions: db.prepare<[], Part>(
    `SELECT kind AS name, count(*) AS n FROM decisions INDEXED BY decisions_open WHERE state = 'open' GROUP BY kind`,
  ),
  containers: db.prepare<[], Part>('SELECT observed AS name, count(*) AS n FROM crew_containers GROUP BY observed'),
}))

/** Statements that read a whole table, and why they may. */
export const scans = {
  runs: 'an index of the few runs that are open',
  decisions: 'an index of the few that are open',
  containers: 'there is one for each crew',
}
