import type { Client } from '#client'

interface Ended {
  /** Only runs of these agents; of all when absent. */
  agents?: readonly string[]
  /** Id of the workspace; the one in use when absent. */
  workspace?: string
}

/** What ends with agents, their container or their workspace: a sentence that counts it, or nothing. */
export async function interrupted(api: Client, { agents, workspace }: Ended): Promise<string> {
  if (agents?.length === 0) return ''
  const headers: Record<string, string> = workspace === undefined ? {} : { 'x-workspace-id': workspace }
  const own = agents && new Set<string | null>(agents)
  let [going, waiting] = [0, 0]
  for (let page = 1; ; page++) {
    const { data, pagination } = await api.runs.list({ query: { status: 'RUNNING', limit: 100, page } }, { headers })
    for (const { agent_id, parked_at } of data) {
      if (own && !own.has(agent_id)) continue
      if (parked_at) waiting++
      else going++
    }
    if (page >= pagination.total_pages) return sentence(going, waiting)
  }
}

/** Ids of the agents of a crew. */
export async function agentsOf(api: Client, crew: string): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const rows = await api.agents.list({ query: { crew_id: crew, limit: 500, offset: ids.length } })
    ids.push(...rows.map(({ id }) => id))
    if (rows.length < 500) return ids
  }
}

function sentence(going: number, waiting: number): string {
  const runs = (count: number, what: string) => count && `${count} ${count === 1 ? 'run' : 'runs'} ${what}`
  const parts = [runs(going, 'in progress'), runs(waiting, 'waiting for a person')].filter(Boolean)
  return parts.length ? ` This ends ${parts.join(' and ')}.` : ''
}
