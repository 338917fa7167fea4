import { daemon, type TestDaemon } from './index.ts'

/** A daemon with a crew of two agents, and one crew beside it. */
export async function integrationScene(options: Parameters<typeof daemon>[0] = {}) {
  const it = await daemon(options)
  const make = async (path: string, body: object) => (await it.call('OWNER', 'POST', path, body)).body.id as string
  const crew = await make('/crews', { name: 'Web', slug: 'web' })
  const other = await make('/crews', { name: 'Ops', slug: 'ops' })
  const ada = await make('/agents', { name: 'Ada', slug: 'ada', crew_id: crew })
  const bo = await make('/agents', { name: 'Bo', slug: 'bo', crew_id: crew })
  const cy = await make('/agents', { name: 'Cy', slug: 'cy', crew_id: other })
  return {
    it,
    crew,
    other,
    ada,
    bo,
    cy,
    /** Adds a server and answers with it. */
    server: async (name: string, members: object = {}, in_crew?: string) =>
      (
        await it.call('OWNER', 'POST', in_crew ? `/crews/${in_crew}/integrations` : '/integrations', {
          name,
          endpoint: `https://${name}.example/mcp`,
          ...members,
        })
      ).body,
    bind: async (agent: string, server: { id: string; crew_id?: string }, members: object = {}) =>
      (
        await it.call('OWNER', 'POST', `/agents/${agent}/integrations`, {
          mcp_server_id: server.id,
          mcp_server_scope: server.crew_id ? 'crew' : 'workspace',
          ...members,
        })
      ).body,
    credential: async (name: string, members: object = {}) =>
      make('/credentials', { name, type: 'SECRET', value: `value of ${name}`, ...members }),
    resolved: async (agent: string) => (await it.call('VIEWER', 'GET', `/agents/${agent}/integrations/resolved`)).body,
  }
}

/** Names and reasons of what an agent may use. */
export const reasons = (rows: { name: string; reason: string }[]): Record<string, string> =>
  Object.fromEntries(rows.map(({ name, reason }) => [name, reason]))

/** What was broadcast while this was called. */
export async function heard(it: TestDaemon, act: () => Promise<unknown>): Promise<object[]> {
  const messages: object[] = []
  const hear = (message: { type: string; payload: unknown }) => void messages.push(message)
  it.app.bus.on('broadcast', hear)
  await act()
  it.app.bus.off('broadcast', hear)
  return messages.filter((it) => (it as { type: string }).type.startsWith('integration.'))
}
