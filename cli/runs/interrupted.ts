import type { Client } from '#client'

/** What ends with these agents or their container: a sentence that counts it, or nothing. */
export async function interrupted(api: Client, agents: readonly string[]): Promise<string> {
  if (!agents.length) return ''
  const own = new Set(agents)
  let [going, waiting] = [0, 0]
  for (let page = 1; ; page++) {
    const { data, pagination } = await api.runs.list({ query: { status: 'RUNNING', limit: 100, page } })
    for (const { agent_id, parked_at } of data) {
      if (agent_id === null || !own.has(agent_id)) continue
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
