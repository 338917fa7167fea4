import { request } from 'node:http'
import { closing } from '#test'
import { queries } from '../../daemon/features/integrations/tools/queries.ts'
import type { Ask } from '../../daemon/runtime/sidecar/control.ts'
import { startSidecar } from '../../daemon/runtime/sidecar/server.ts'
import { answerCalls } from '../../daemon/runtime/sidecar-calls.ts'
import type { Runtime, ServerProgram, SidecarListener } from '../../daemon/runtime/types.ts'
import { localCrew } from './local-servers.ts'
import { workplace } from './runs.ts'

/** The key by which the sidecar knows Ada. */
export const adaKey = 'muster-dummy-key-of-ada'
export const boKey = 'muster-dummy-key-of-bo'

/** A daemon with Ada at work and Bo idle in a crew, and what a sidecar asks of it. */
export async function gatewayScene(hosts: string[] = []) {
  const it = await workplace({ config: { integrationHosts: hosts } })
  let listener: SidecarListener | undefined
  const local = await localCrew(it.crewId)
  answerCalls(it.app, {
    startServer: (crewId: string, program: ServerProgram) => local.startServer(crewId, program),
    onSidecarCall: (given: SidecarListener) => {
      listener = given
    },
  } as Partial<Runtime> as Runtime)
  const bo = await it.mate('bo')
  await it.call('OWNER', 'PATCH', `/crews/${it.crewId}`, { network_mode: 'free' })
  const ask: Ask = (call) => {
    const waiting = new AbortController()
    return { answer: listener!(it.crewId, call, waiting.signal), hangUp: () => waiting.abort() }
  }
  const chat = await it.openChat()
  const { run_id } = await it.send(chat, 'Work')

  const make = async (path: string, body: object) => {
    const made = await it.call('OWNER', 'POST', path, body)
    if (made.status !== 201) throw new Error(made.text)
    return made.body
  }
  const server = (name: string, endpoint: string, more: object = {}) =>
    make('/integrations', { name, endpoint, ...more })
  const program = (name: string, args: string[], more: object = {}) =>
    make('/integrations', { name, transport: 'stdio', command: 'node', args_json: JSON.stringify(args), ...more })
  const bind = async (serverId: string, more: object = {}, agent = it.agentId) =>
    make(`/agents/${agent}/integrations`, { mcp_server_id: serverId, mcp_server_scope: 'workspace', ...more })
  const credential = async (value: string): Promise<string> =>
    (await make('/credentials', { name: `c-${value.length}`, type: 'SECRET', value })).id

  /** Switches a tool off, or holds it. */
  const change = (serverId: string, tool: string, to: { enabled?: number; held_since?: string }) =>
    it.app.write(() => {
      const row = queries(it.app.db).find.get(serverId, tool)
      if (!row) throw new Error(`There is no tool ${tool}`)
      queries(it.app.db).save.run({ ...row, ...to })
    })
  const calls = () =>
    it
      .entries()
      .flatMap(({ entry_type, payload }) =>
        entry_type === 'mcp.tool_call' ? [payload as Record<string, unknown> & { outcome: string }] : [],
      )
  return { it, bo, chat, local, runId: run_id, ask, server, program, bind, credential, change, calls }
}

/** What a tool server answers, as far as tests look at it. */
interface Answer {
  result: { tools: { name: string }[]; content: unknown; isError: boolean }
  error: { code: number; message: string }
}

/** A sidecar before such a daemon, and what clients send it. */
export async function withSidecar({ it, bo, ask }: Awaited<ReturnType<typeof gatewayScene>>) {
  const sidecar = await startSidecar({ port: 0, isolated: false, report: () => undefined, ask })
  closing(sidecar)
  sidecar.configure({
    network: { mode: 'restricted', allowedDomains: [], allowPrivateEndpoints: false },
    agents: {
      [adaKey]: { agentId: it.agentId, slug: 'ada', credentials: [] },
      [boKey]: { agentId: bo, slug: 'bo', credentials: [] },
    },
    upstreams: {},
  })
  const origin = `http://127.0.0.1:${sidecar.port}`
  const post = (server: string, body: unknown, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; body: Answer }>((resolve, reject) => {
      const text = JSON.stringify(body)
      const asked = request(`${origin}/mcp/${server}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adaKey}`, 'content-type': 'application/json', ...headers },
      })
      asked.on('error', reject).on('response', async (reply) => {
        const chunks: Buffer[] = []
        for await (const chunk of reply) chunks.push(chunk as Buffer)
        const said = Buffer.concat(chunks).toString()
        resolve({ status: reply.statusCode!, body: said ? JSON.parse(said) : null })
      })
      asked.end(text)
    })
  const rpc = async (server: string, method: string, params: object = {}, headers: Record<string, string> = {}) =>
    (await post(server, { jsonrpc: '2.0', id: 1, method, params }, headers)).body
  const callTool = (server: string, name: string, given: object = {}, headers: Record<string, string> = {}) =>
    rpc(server, 'tools/call', { name, arguments: given }, headers)
  return { origin, post, rpc, callTool }
}
