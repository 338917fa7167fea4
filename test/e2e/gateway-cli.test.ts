import { afterEach, describe, expect, it } from 'vitest'
import { claudeCode } from '../../daemon/runtime/adapters/claude-code/index.ts'
import { codex } from '../../daemon/runtime/adapters/codex/index.ts'
import { droid } from '../../daemon/runtime/adapters/droid/index.ts'
import { gemini } from '../../daemon/runtime/adapters/gemini/index.ts'
import { gatewayConfig } from '../../daemon/runtime/adapters/mcp.ts'
import { opencode } from '../../daemon/runtime/adapters/opencode/index.ts'
import { fetchClient } from '../support/agent-client.ts'
import { clientScene, closeScenes, type Dialect, dummyKey } from '../support/client-suite.ts'
import { everythingArgs, everythingServer } from '../support/everything-server.ts'
import { gatewayScene } from '../support/gateway.ts'
import { geminiEndpoint } from '../support/gemini-endpoint.ts'
import { leaveOut } from '../support/leave-out.ts'
import { modelEndpoint, type ScriptedTurn } from '../support/model-endpoint.ts'
import { responsesEndpoint } from '../support/responses-endpoint.ts'

interface Tried extends Pick<Dialect<unknown>, 'adapter' | 'client' | 'provider' | 'model'> {
  endpoint: unknown
  /** The name of a server's tool, as the model calls it. */
  tool(server: string, tool: string): string
}

const clients: Tried[] = [
  {
    adapter: claudeCode,
    client: 'claude',
    provider: 'ANTHROPIC',
    model: 'claude-opus-4-8',
    endpoint: modelEndpoint,
    tool: (server, tool) => `mcp__${server}__${tool}`,
  },
  {
    adapter: codex,
    client: 'codex',
    provider: 'OPENAI',
    model: 'gpt-5',
    endpoint: responsesEndpoint,
    tool: (server, tool) => `mcp__${server}.${tool}`,
  },
  {
    adapter: gemini,
    client: 'gemini',
    provider: 'GOOGLE',
    model: 'gemini-2.5-flash',
    endpoint: geminiEndpoint,
    tool: (server, tool) => `mcp_${server}_${tool}`,
  },
  {
    adapter: opencode,
    client: 'opencode',
    provider: 'ANTHROPIC',
    model: 'claude-sonnet-4-5',
    endpoint: modelEndpoint,
    tool: (server, tool) => `${server}_${tool}`,
  },
  {
    adapter: droid,
    client: 'droid',
    provider: 'ANTHROPIC',
    model: 'claude-opus-4-8',
    endpoint: modelEndpoint,
    tool: (server, tool) => `${server}___${tool}`,
  },
]

const fetched = clients.map((client) => ({ ...client, ...fetchClient(client.client) }))
leaveOut(fetched.find(({ missing }) => missing)?.missing ?? false)

afterEach(closeScenes)

describe.each(fetched)('$client with the servers that people gave its agent', { timeout: 120_000 }, (client) => {
  const { bin, missing } = client

  /** The client with the reference server behind the gateway, whose model calls its `echo` once. */
  async function scene({ off = false, over = 'http' } = {}) {
    const { url, host } = await everythingServer()
    const gateway = await gatewayScene([host])
    const { id } = await (over === 'http'
      ? gateway.server('everything', url)
      : gateway.program('everything', everythingArgs))
    const asked: string[] = []
    const script = async (body: unknown): Promise<ScriptedTurn> => {
      asked.push(JSON.stringify(body))
      // The client has read the list by now.
      if (off && asked.length === 1) await gateway.change(id, 'echo', { enabled: 0 })
      return asked.length === 1
        ? { tools: [{ name: client.tool('everything', 'echo'), input: { message: 'the-word-is-plum' } }] }
        : { text: 'Done.' }
    }
    const dialect = client as unknown as Dialect<unknown>
    const behind = { agentId: gateway.it.agentId, ask: gateway.ask }
    const { run, origin } = await clientScene(dialect, bin!, script, ['sk-real'], behind)
    const config = gatewayConfig(['everything'], { origin, key: dummyKey, runId: gateway.runId })
    return { ...gateway, asked, run: () => run({ mcpConfigs: [config] }) }
  }

  it.skipIf(missing)('calls a tool of the reference server and is told what it says', async () => {
    const { run, asked, calls } = await scene()
    const { verdict, frames } = await run()
    expect(verdict).toMatchObject({ status: 'completed' })
    expect(asked.at(-1)).toMatch(/Echo: the-word-is-plum/)
    expect(JSON.stringify(frames)).toContain('Echo: the-word-is-plum')
    expect(calls()).toMatchObject([{ server: 'everything', tool: 'echo', outcome: 'ok' }])
  })

  it.skipIf(missing)('calls a tool of the reference server over standard streams', async () => {
    const { run, asked, calls } = await scene({ over: 'streams' })
    const { verdict } = await run()
    expect(verdict).toMatchObject({ status: 'completed' })
    expect(asked.at(-1)).toMatch(/Echo: the-word-is-plum/)
    expect(calls()).toMatchObject([{ server: 'everything', tool: 'echo', outcome: 'ok' }])
  })

  it.skipIf(missing)('is refused a tool that was switched off after it had read the list', async () => {
    const { run, asked, calls } = await scene({ off: true })
    await run()
    expect(asked.at(-1)).not.toMatch(/Echo: the-word-is-plum/)
    expect(calls()).toMatchObject([{ server: 'everything', tool: 'echo', outcome: 'refused' }])
  })
})
