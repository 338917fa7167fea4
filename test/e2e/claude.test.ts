import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { describeContained } from '../support/container-suite.ts'
import { bridgeAddress } from '../support/engine.ts'
import { type MessagesBody, modelEndpoint } from '../support/model-endpoint.ts'

const key = { value: 'sk-ant-good-7f3a91c2d4', type: 'API_KEY', provider: 'ANTHROPIC' } as const

await describeContained<MessagesBody>(
  {
    adapter: 'CLAUDE_CODE',
    client: 'claude',
    prefix: 'muster-claude',
    provider: 'ANTHROPIC',
    model: 'scripted-model',
    variable: 'ANTHROPIC_API_KEY',
    keys: { good: key.value, bad: 'sk-ant-bad-5b8e20aa17' },
    address: (url) => ({ SVC_ANTHROPIC_URL: url, SVC_ALLOW_PRIVATE_ENDPOINTS: 'true' }),
    endpoint: modelEndpoint,
    shell: (command) => ({ name: 'Bash', input: { command } }),
    mcpTool: (server, tool, input) => ({ name: `mcp__${server}__${tool}`, input }),
    asked({ messages }) {
      const blocks = messages.map(({ content }) =>
        typeof content === 'string' ? [{ type: 'text', text: content }] : content,
      )
      const isAsked = (n: number) => messages[n]!.role === 'user' && blocks[n]!.some(({ type }) => type === 'text')
      const at = messages.findLastIndex((_, n) => isAsked(n))
      const said = blocks[at]?.map(({ text }) => text ?? '').join('\n') ?? ''
      const steps = blocks
        .slice(at + 1)
        .flat()
        .filter(({ type }) => type === 'tool_result').length
      return { said, steps }
    },
  },
  (scene) => {
    it('is held to the allowed domains while it works on what a webhook sent, where its crew is free', async () => {
      const { daemon, model } = scene()
      const { connection, client: api } = daemon
      const host = (await bridgeAddress())!
      const open = createServer((_, reply) => reply.end('open')).listen(0, host)
      await once(open, 'listening')
      const ask = `Fetch it from http://${host}:${(open.address() as AddressInfo).port}`
      const network = { network_mode: 'free', allow_private_endpoints: true } as const
      const { id: crewId } = await api.crews.create({ body: { name: 'Free', slug: 'free', ...network } })
      const { id: agentId } = await api.agents.create({ body: { name: 'Eve', slug: 'eve', crew_id: crewId } })
      const { id } = await api.credentials.create({ body: { name: 'eve', ...key } })
      await api.credentials.assign({ agentId, body: { credential_id: id, env_var_name: 'ANTHROPIC_API_KEY' } })
      const fetched = () => /fetched (\d{3})/.exec(JSON.stringify(model.messages.at(-1)))?.[1]

      expect((await daemon.turn(agentId, ask)).run.status).toBe('COMPLETED')
      expect(fetched()).toBe('200')

      const { webhook_secret } = await api.agents.rotateWebhookSecret({ agentId })
      const body = JSON.stringify({ event: 'push', source: 'test', data: ask })
      const signature = createHmac('sha256', webhook_secret).update(body).digest('hex')
      const accepted = await connection.request('POST', `/api/v1/webhooks/${crewId}/${agentId}/trigger`, {
        body: Buffer.from(body),
        headers: { 'content-type': 'application/json', 'x-signature': signature },
      })
      expect(accepted.status).toBe(202)
      const runs = async () => (await api.runs.list({ query: { trigger: 'WEBHOOK' } })).data.map((it) => it.status)
      await expect.poll(runs, { timeout: 150_000 }).toEqual(['COMPLETED'])
      expect(fetched()).toBe('403')
      open.close()
    })
  },
)
