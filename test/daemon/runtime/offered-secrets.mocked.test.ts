import { describe, expect, it, vi } from 'vitest'
import type { Adapter } from '../../../daemon/runtime/adapters/adapter.ts'
import type { FakeRuntime } from '../../support/fake-runtime.ts'
import { type Workplace, workplace } from '../../support/runs.ts'

/** A second client. Its adapter shows everything that it reads, and knows nothing of secrets. */
const careless = vi.hoisted(
  (): Adapter => ({
    name: 'CARELESS',
    program: 'careless',
    command: { path: 'process.careless', env: 'SVC_CARELESS', kind: 'string', fallback: '', summary: '' },
    keepsSessions: false,
    can: { steer: false, mcp: false, sub_agents: false, images: false, cost_report: false, turn_cap: false },
    launch: () => ({ spec: { argv: ['careless'], env: {}, files: [], stdin: '' }, mcpServers: [] }),
    reader: () => (line, reading) => {
      const text = String(line['text'])
      const origin = { tool_id: 'c1', tool_use_id: 'c1' }
      if (line['type'] === 'says') reading.frame({ type: 'text', content: text })
      if (line['type'] === 'calls')
        reading.frame({ type: 'tool_call', content: text, metadata: { ...origin, tool_name: text, input: line['in'] } })
      if (line['type'] === 'gets') reading.frame({ type: 'tool_result', content: text, metadata: origin })
      if (line['type'] === 'fails') reading.frame({ type: 'error', content: text })
      if (line['type'] !== 'begins') return
      const counts = { tool_count: 0, skill_count: 0, mcp_server_count: 0, mcp_server_errors: [] }
      const known = { cli_version: text, api_key_source: text, permission_mode: text, cwd: text }
      reading.facts.init = { model: text, ...known, ...counts }
      reading.frame({ type: 'system', content: text, metadata: { subtype: 'init', model: text } })
    },
    stderrFailure: (stderr) => ({ kind: 'bad_config', reason: stderr }),
  }),
)
vi.mock('../../../daemon/runtime/adapters/index.ts', () => ({ adapterOf: () => careless }))

const secret = 'ghp_4711_offered_today'

async function working(it: Workplace<FakeRuntime>) {
  const chat = await it.openChat()
  const frames: string[] = []
  it.app.runs.watch(chat, 0, { frame: ({ body }) => frames.push(body), closed: () => undefined })
  const { run_id } = await it.send(chat, 'Work')
  return { chat, run_id, frames }
}

/** All that is kept of a run, and whoever looks at it is shown. */
async function recordOf(it: Workplace<FakeRuntime>, { chat, run_id }: { chat: string; run_id: string }) {
  const read = async (path: string) => (await it.call('OWNER', 'GET', path)).text
  const entries = JSON.stringify(it.entries().filter(({ trace_id }) => trace_id === run_id))
  return {
    message: await read(`/chats/${chat}/messages`),
    run: await read(`/runs/${run_id}`),
    journal: entries,
  }
}

describe('an adapter that does nothing about secrets', () => {
  it('lets nothing of an offered one into frames, message, run and journal', async () => {
    const it = await workplace()
    const run = await working(it)
    const program = await it.runtime.program()
    it.runtime.print(
      program,
      { type: 'calls', text: 'ask', in: JSON.stringify({ type: 'CREDENTIAL', metadata: { value: secret } }) },
      { type: 'begins', text: secret },
      { type: 'gets', text: Buffer.from(`offered ${secret}`).toString('base64') },
      { type: 'says', text: `I offered ${secret}` },
      secret,
      { type: 'fails', text: `broke at ${secret}` },
    )
    it.runtime.finish(program, { kind: 'exit', code: 1, timedOut: false }, `stderr of ${secret}`)
    await it.app.runs.ended(run.run_id)
    const { message, run: shown, journal } = await recordOf(it, run)
    expect(run.frames.join('\n')).toContain('I offered [redacted]')
    expect(message).toContain('I offered [redacted]')
    expect(shown).toContain('broke at [redacted]')
    expect(journal).toContain('broke at [redacted]')
    for (const place of [run.frames.join('\n'), message, shown, journal]) {
      expect(place).not.toContain('4711')
      expect(place).not.toContain(Buffer.from(secret).toString('base64').slice(4, -4))
    }
  })

  it('lets nothing of a secret that became one meanwhile into message, run and journal', async () => {
    const it = await workplace()
    const run = await working(it)
    const program = await it.runtime.program()
    it.runtime.print(program, { type: 'says', text: `I found ${secret}` })
    const made = await it.call('OWNER', 'POST', '/credentials', { name: 'found', type: 'SECRET', value: secret })
    expect(made.status, made.text).toBe(201)
    it.runtime.finish(program, { kind: 'exit', code: 1, timedOut: false }, `stderr of ${secret}`)
    await it.app.runs.ended(run.run_id)
    const { message, run: shown, journal } = await recordOf(it, run)
    expect(message).toContain('I found [redacted]')
    expect(shown).toContain('stderr of [redacted]')
    for (const place of [message, shown, journal]) expect(place).not.toContain('4711')
  })
})
