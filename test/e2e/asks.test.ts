import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchClient, survivors } from '../support/agent-client.ts'
import { agentProcesses, bridgeAddress, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { endsIn, type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type MessagesBody, type ModelEndpoint, modelEndpoint, type ScriptedTurn } from '../support/model-endpoint.ts'

// Agents that ask a person: their programs end, and the answer lets the run go on, whatever happens to the daemon
// meanwhile.

const root = new URL('../..', import.meta.url).pathname
const host = await bridgeAddress()
const noContainers =
  engineMissing ||
  (host ? false : 'the Docker engine is on another machine, where containers cannot reach the scripted model')
const client = fetchClient('claude')
leaveOut(noContainers || client.missing)

let daemon: Installation
let crewId: string
let agentId: string

async function open(settings: Record<string, string>): Promise<void> {
  daemon = await install(settings)
  crewId = (await daemon.client.crews.create({ body: { name: 'Works', slug: 'works' } })).id
  await daemon.client.credentials.create({
    body: { name: 'key', value: 'sk-ant-api03-asking', type: 'API_KEY', provider: 'ANTHROPIC' },
  })
  agentId = (await daemon.client.agents.create({ body: { name: 'Ada', slug: 'ada', crew_id: crewId } })).id
}

const cardOf = async (runId: string) => {
  const { rows } = await daemon.client.inbox.list({ query: { kind: 'run_needs_human', limit: 500 } })
  return rows.find(({ payload }) => (payload?.['context'] as { run?: string } | undefined)?.run === runId)
}
const statusOf = async (runId: string) => (await daemon.client.runs.show({ runId })).status
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('a daemon that is killed', { timeout: 240_000 }, () => {
  beforeAll(() =>
    open({
      SVC_CONTAINER_PROVIDER: 'process',
      SVC_CLAUDE_COMMAND: join(root, 'templates/demo/claude-stand-in/claude'),
    }),
  )
  afterAll(() => daemon.remove())

  it('between question and answer leaves both or neither, and delivers each answer once', async () => {
    const kills = Number(process.env['MUSTER_CRASHES'] ?? 10)
    let asked = 0
    for (let round = 0; round < kills; round++) {
      const chatId = await daemon.openChat(agentId)
      const runId = await daemon.say(chatId, `ask: question ${round}?`)
      await pause(Math.random() * 700)
      await daemon.kill()
      await daemon.start()
      // A program that could not ask because nobody was there has failed; one that asked has its card, and neither end
      // nor program.
      await expect
        .poll(async () => (await statusOf(runId)) !== 'RUNNING' || (await cardOf(runId)) !== undefined, {
          timeout: 30_000,
        })
        .toBe(true)
      const card = await cardOf(runId)
      if (!card) {
        expect(endsIn(await daemon.entriesOf(runId))).toHaveLength(1)
        continue
      }
      asked++
      expect(card).toMatchObject({ state: 'unread', blocking: true })
      await expect.poll(() => survivors(runId), { timeout: 30_000 }).toEqual([])
      const answer = () =>
        daemon.client.inbox.act({ itemId: card.id, body: { action: 'answer', input: `answer ${round}` } })
      const first = answer().catch(() => null)
      await pause(Math.random() * 60)
      await daemon.kill()
      await first
      await daemon.start()
      if ((await cardOf(runId))!.state !== 'resolved') await answer()
      await expect.poll(() => statusOf(runId), { timeout: 30_000 }).toBe('COMPLETED')
      const entries = await daemon.entriesOf(runId)
      expect(endsIn(entries)).toMatchObject([{ entry_type: 'run.completed' }])
      expect(
        entries
          .filter(({ entry_type }) => entry_type === 'run.parked' || entry_type === 'run.resumed')
          .map(({ entry_type }) => entry_type),
      ).toEqual(['run.parked', 'run.resumed'])
      const said = (await daemon.messagesOf(chatId)).map(({ role, content }) => [role, content])
      expect(said).toEqual([
        ['user', `ask: question ${round}?`],
        ['assistant', expect.stringContaining(`question ${round}?`)],
        ['user', `answer ${round}`],
        ['assistant', `Thank you. I go on with this: answer ${round}`],
      ])
    }
    expect(asked).toBeGreaterThan(0)
  })
})

/** The crew's idle time is over, as the next daemon will see it. */
function fallAsleep(): void {
  const db = new Database(join(daemon.dataDir, 'muster.db'))
  db.prepare("UPDATE crew_containers SET desired = 'stopped' WHERE crew_id = ?").run(crewId)
  db.close()
}

/** Asks by the sidecar's own interface, as any program of an agent can. */
const asking = (question: string) =>
  'curl -sS -X POST "$SVC_SIDECAR_URL/ask-human" -H "Authorization: Bearer $SVC_AGENT_TOKEN" -H "X-Svc-Run-Id: ' +
  `$SVC_RUN_ID" -d '${JSON.stringify({ question })}'; sleep 60`

const script = (kind: string, { messages }: MessagesBody): ScriptedTurn => {
  const last = JSON.stringify(messages.at(-1)!.content)
  if (last.includes('answers:')) return { text: last.includes('SQLite') ? 'Then SQLite it is.' : 'What?' }
  const question = 'Postgres or SQLite?'
  const ask =
    kind === 'a container'
      ? { name: 'mcp__muster__ask_human', input: { question } }
      : { name: 'Bash', input: { command: asking(question) } }
  if (last.includes('tool_result')) return { text: 'I have the number; now I ask.', tools: [ask] }
  return { text: 'I look.', tools: [{ name: 'Bash', input: { command: 'echo the number is 4711' } }] }
}

describe.each([
  ['a local process', '127.0.0.1', client.missing as string | false],
  ['a container', host!, noContainers],
])('the client of the vendor in %s', { timeout: 120_000 }, (kind, address, missing) => {
  let model: ModelEndpoint
  let scratch = ''
  let installation = ''

  describe.skipIf(missing)('that asks', () => {
    beforeAll(async () => {
      model = await modelEndpoint((body) => script(kind, body), { host: address })
      scratch = mkdtempSync(join(tmpdir(), 'muster-asks-'))
      const program = join(scratch, 'claude')
      writeFileSync(program, `#!/bin/sh\nexport IS_SANDBOX=1\nexec ${client.bin}/claude "$@"\n`, { mode: 0o755 })
      const local = { SVC_CONTAINER_PROVIDER: 'process', SVC_CLAUDE_COMMAND: program }
      const inside = { SVC_CONTAINER_PREFIX: 'muster-asks', SVC_CONTAINER_MEMORY_MB: '2048' }
      await open({ SVC_ANTHROPIC_URL: model.url, ...(kind === 'a container' ? inside : local) })
      await daemon.client.crews.start({ crewId })
      if (kind === 'a container')
        installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
    })
    afterAll(async () => {
      await daemon?.remove()
      await model?.close()
      rmSync(scratch, { recursive: true, force: true })
      if (installation) await removeInstallation(installation)
    })

    it(
      'goes on from where it stood, with all that it had found, though its daemon was killed and its crew fell ' +
        'asleep',
      async () => {
        const { runId, chatId, frames, run } = await daemon.turn(agentId, 'Choose a database.')
        expect(frames.at(-1)).toMatchObject({ type: 'done', metadata: { parked: true, trace_id: runId } })
        expect(run).toMatchObject({ status: 'RUNNING' })
        const card = (await cardOf(runId))!
        expect(card).toMatchObject({ body_md: 'Postgres or SQLite?', sender_name: 'Ada' })
        const left = async () => (kind === 'a container' ? agentProcesses(await containerOf(crewId)) : survivors(runId))
        expect(await left()).toEqual([])
        await daemon.kill()
        fallAsleep()
        await daemon.start()
        await expect
          .poll(async () => (await daemon.client.crews.status({ crewId })).status, { timeout: 30_000 })
          .toBe('stopped')
        expect(await statusOf(runId)).toBe('RUNNING')
        await daemon.client.inbox.act({ itemId: card.id, body: { action: 'answer', input: 'SQLite, please' } })
        await expect.poll(() => statusOf(runId), { timeout: 60_000 }).toBe('COMPLETED')
        expect((await daemon.messagesOf(chatId)).at(-1)).toMatchObject({
          role: 'assistant',
          content: 'Then SQLite it is.',
        })
        // What the model was asked last holds the first tool's output: the client went on with its own session.
        const asked = JSON.stringify(model.messages.at(-1)!.messages)
        expect(asked).toContain('the number is 4711')
        expect(asked).toContain('tool_use')
        expect(asked).toMatch(/You asked:[\s\S]*Postgres or SQLite\?[\s\S]*Ada Lovelace answers:[\s\S]*SQLite, please/)
        expect(endsIn(await daemon.entriesOf(runId))).toMatchObject([{ entry_type: 'run.completed' }])
        // Nothing is left of the programs; the session is there for the chat's next turn.
        const spooled = () => readdirSync(join(daemon.dataDir, 'crews', crewId, 'spool/ada'))
        if (kind === 'a local process') await expect.poll(spooled).toEqual([expect.stringMatching(/^session-/)])
      },
    )
  })
})
