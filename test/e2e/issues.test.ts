import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchClient } from '../support/agent-client.ts'
import { cli } from '../support/cli.ts'
import { bridgeAddress, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { endsIn, type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type MessagesBody, type ModelEndpoint, modelEndpoint, type ScriptedTurn } from '../support/model-endpoint.ts'

// Issues that agents work on, with the client of a vendor: by the command line, from start to approval.

const host = await bridgeAddress()
const noContainers =
  engineMissing ||
  (host ? false : 'the Docker engine is on another machine, where containers cannot reach the scripted model')
const client = fetchClient('claude')
leaveOut(noContainers || client.missing)

const question = { question: 'Postgres or SQLite?' }
/** Asks by the sidecar's own interface, as any program of an agent can. */
const asking =
  'curl -sS -X POST "$SVC_SIDECAR_URL/ask-human" -H "Authorization: Bearer $SVC_AGENT_TOKEN" -H "X-Svc-Run-Id: ' +
  `$SVC_RUN_ID" -d '${JSON.stringify(question)}'; sleep 60`

const bash = (command: string): ScriptedTurn => ({ text: 'I look.', tools: [{ name: 'Bash', input: { command } }] })

/** What the issue of the last prompt asks for, and whether a tool has been used since. */
function script({ messages }: MessagesBody): ScriptedTurn {
  const prompts = messages.map(({ content }) => JSON.stringify(content))
  const at = prompts.findLastIndex((text) => text.includes('Work on issue') || text.includes('mentions you'))
  const worked = prompts.slice(at + 1).some((text) => text.includes('tool_result'))
  const prompt = prompts[at] ?? ''
  if (prompt.includes('mentions you')) return { text: 'It is the disk.' }
  if (prompt.includes('Choose a database')) return worked ? { text: 'I chose.' } : bash(asking)
  if (prompt.includes('Work slowly')) return worked ? { text: 'Slowly done.' } : bash('sleep 3; echo ready')
  const again = prompt.includes('Tests are missing')
  return worked ? { text: again ? 'Tests are there.' : 'It is mended.' } : bash('echo mending')
}

describe.each([
  ['a local process', '127.0.0.1', client.missing as string | false],
  ['a container', host!, noContainers],
])('an agent in %s', { timeout: 200_000 }, (kind, address, missing) => {
  let model: ModelEndpoint
  let daemon: Installation
  let scratch = ''
  let installation = ''
  let environment: Record<string, string>

  const contained = kind === 'a container'
  const muster = async (...args: string[]) => {
    const ran = await cli(environment).run(...args)
    return { ...ran, said: `${ran.stdout}${ran.stderr}` }
  }
  const open = async (title: string) => {
    const made = await muster('issues', 'create', title, '--crew', 'works', '--assignee', 'ada', '-o', 'name')
    expect(made.code, made.said).toBe(0)
    return made.stdout.trim()
  }
  const find = (identifier: string) => daemon.client.issues.find({ identifier })
  const commentsOn = async (identifier: string) => {
    const { crew_id: crewId } = await find(identifier)
    return (await daemon.client.issues.comments({ crewId, identifier, query: {} })).map(({ body }) => body)
  }
  const runsOf = async (identifier: string) => {
    const { crew_id: crewId } = await find(identifier)
    return daemon.client.issues.runs({ crewId, identifier, query: {} })
  }

  describe.skipIf(missing)('works on an issue', () => {
    beforeAll(async () => {
      model = await modelEndpoint(script, { host: address })
      scratch = mkdtempSync(join(tmpdir(), 'muster-issues-'))
      const program = join(scratch, 'claude')
      writeFileSync(program, `#!/bin/sh\nexport IS_SANDBOX=1\nexec ${client.bin}/claude "$@"\n`, { mode: 0o755 })
      const local = { SVC_CONTAINER_PROVIDER: 'process', SVC_CLAUDE_COMMAND: program }
      const inside = { SVC_CONTAINER_PREFIX: 'muster-issues', SVC_CONTAINER_MEMORY_MB: '2048' }
      daemon = await install({ SVC_ANTHROPIC_URL: model.url, ...(contained ? inside : local) })
      const api = daemon.client
      const { id: crewId } = await api.crews.create({ body: { name: 'Works', slug: 'works' } })
      await api.credentials.create({
        body: { name: 'key', value: 'sk-ant-api03-issues', type: 'API_KEY', provider: 'ANTHROPIC' },
      })
      await api.agents.create({ body: { name: 'Ada', slug: 'ada', crew_id: crewId } })
      await api.crews.start({ crewId })
      if (contained) installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
      const { token } = await api.tokens.create({ body: { name: 'command line' } })
      const { id: workspace } = (await api.workspaces.list({ query: {} }))[0]!
      environment = { SVC_DATA_DIR: daemon.dataDir, SVC_TOKEN: token, SVC_WORKSPACE: workspace }
    })
    afterAll(async () => {
      await daemon?.remove()
      await model?.close()
      rmSync(scratch, { recursive: true, force: true })
      if (installation) await removeInstallation(installation)
    })

    it('until it is approved, in one session of its client', async () => {
      const issue = await open('Mend the door')
      const started = await muster('issues', 'start', issue, '--follow')
      expect(started.code, started.said).toBe(0)
      expect(started.stdout).toContain('It is mended.')
      expect(await find(issue)).toMatchObject({ status: 'REVIEW', session_status: 'idle' })
      const changes = ['--request-changes', '-m', 'Tests are missing']
      expect((await muster('issues', 'review', issue, ...changes)).code).toBe(0)
      expect((await muster('issues', 'start', issue, '-f')).stdout).toContain('Tests are there.')
      expect(JSON.stringify(model.messages.at(-1)!.messages)).toContain('mending')
      expect((await muster('issues', 'review', issue, '--approve')).code).toBe(0)
      expect(await find(issue)).toMatchObject({ status: 'DONE' })
      expect(await commentsOn(issue)).toEqual([
        expect.stringContaining('It is mended.'),
        'Tests are missing',
        expect.stringContaining('Tests are there.'),
      ])
    })

    it('and answers a comment that mentions it', async () => {
      const issue = await open('Slow start')
      expect((await muster('issues', 'comment', issue, 'Why, @ada?')).code).toBe(0)
      await expect.poll(() => commentsOn(issue), { timeout: 60_000 }).toEqual(['Why, @ada?', 'It is the disk.'])
      expect(await find(issue)).toMatchObject({ status: 'BACKLOG', session_status: 'idle' })
    })

    it('and asks, until somebody takes it over', async () => {
      const issue = await open('Choose a database')
      expect((await muster('issues', 'start', issue)).code).toBe(0)
      const waiting = async () => (await find(issue)).session_status
      await expect.poll(waiting, { timeout: 60_000 }).toBe('awaiting_input')
      const { rows } = await daemon.client.inbox.list({ query: { kind: 'run_needs_human' } })
      expect(rows[0]).toMatchObject({ body_md: question.question, payload: { context: { issue } } })
      const taken = await muster('inbox', 'act', rows[0]!.id, '--take-over')
      expect(taken.code, taken.said).toBe(0)
      expect(await find(issue)).toMatchObject({
        status: 'TODO',
        work_mode: 'human',
        assignee_name: 'Ada Lovelace',
        session_status: 'idle',
      })
      expect((await runsOf(issue))[0]).toMatchObject({ status: 'CANCELLED' })
    })

    it('whose status is true although the daemon is killed meanwhile', async () => {
      const issue = await open('Work slowly')
      expect((await muster('issues', 'start', issue)).code).toBe(0)
      const working = () => JSON.stringify(model.messages.at(-1)?.messages ?? '').includes('Work slowly')
      await expect.poll(working, { timeout: 60_000 }).toBe(true)
      await daemon.kill()
      await daemon.start()
      const [run] = await runsOf(issue)
      const ended = async () => (await runsOf(issue))[0]!.status
      await expect.poll(ended, { timeout: 100_000 }).not.toBe('RUNNING')
      expect(endsIn(await daemon.entriesOf(run!.id))).toHaveLength(1)
      const status = { COMPLETED: 'REVIEW', FAILED: 'FAILED', CANCELLED: 'TODO' }[await ended()]
      expect(await find(issue)).toMatchObject({ status, session_status: 'idle' })
      // In a container the program outlives the daemon.
      if (contained) expect(status).toBe('REVIEW')
      if (status === 'REVIEW') expect(await commentsOn(issue)).toEqual([expect.stringContaining('Slowly done.')])
    })
  })
})
