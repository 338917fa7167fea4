import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchClient } from '../support/agent-client.ts'
import { cli } from '../support/cli.ts'
import { bridgeAddress, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { type Installation, install } from '../support/installation.ts'
import { judgeServer, type Says } from '../support/judge.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type MessagesBody, type ModelEndpoint, modelEndpoint, type ScriptedTurn } from '../support/model-endpoint.ts'

// An agent with the vendor's own client asks a judge for a credential, as a process and in a container.

const host = await bridgeAddress()
const noContainers =
  engineMissing ||
  (host ? false : 'the Docker engine is on another machine, where containers cannot reach the scripted model')
const client = fetchClient('claude')
leaveOut(noContainers || client.missing)

/** The first agent of a crew, in its container. */
const uid = 20001
const value = 'ghp_handed_for_a_while_0815'
const intent = 'open the pull request for the login fix, as the issue asks for'
const hash = createHash('sha256').update(value).digest('hex')

/** What the agent does next, by what it saw last; nothing more ends its turn. */
type Step = (last: string) => ScriptedTurn | Promise<ScriptedTurn>

let steps: Step[] = []
const told: string[] = []

const script = ({ messages }: MessagesBody): ScriptedTurn | Promise<ScriptedTurn> => {
  const step = messages.filter(({ role }) => role === 'assistant').length
  const { content } = messages.at(-1)!
  // Answers of tools are text in JSON, once or twice.
  const last = JSON.stringify(content).replaceAll('\\', '')
  if (step > 0) told.push(last)
  return steps[step]?.(last) ?? { text: 'Done.' }
}

const bash = (command: string): ScriptedTurn => ({ text: 'I run.', tools: [{ name: 'Bash', input: { command } }] })
const fileIn = (last: string): string => /"file":"([^"]+)"/.exec(last)?.[1] ?? '/no/file'

describe.each([
  ['a local process', '127.0.0.1', client.missing as string | false],
  ['a container', host!, noContainers],
])('an agent in %s', { timeout: 180_000 }, (kind, address, missing) => {
  const contained = kind === 'a container'
  let model: ModelEndpoint
  let daemon: Installation
  let scratch = ''
  let installation = ''
  let crewId: string
  let agentId: string
  let container = ''
  let person: Record<string, string>

  beforeAll(async () => {
    if (missing) return
    model = await modelEndpoint(script, { host: address })
    scratch = mkdtempSync(join(tmpdir(), 'muster-keeper-'))
    const program = join(scratch, 'claude')
    writeFileSync(program, `#!/bin/sh\nexport IS_SANDBOX=1\nexec ${client.bin}/claude "$@"\n`, { mode: 0o755 })
    const local = { SVC_CONTAINER_PROVIDER: 'process', SVC_CLAUDE_COMMAND: program }
    const inside = { SVC_CONTAINER_PREFIX: 'muster-keeper', SVC_CONTAINER_MEMORY_MB: '2048' }
    daemon = await install({ SVC_ANTHROPIC_URL: model.url, ...(contained ? inside : local) })
    crewId = (await daemon.client.crews.create({ body: { name: 'Works', slug: 'works' } })).id
    agentId = (await daemon.client.agents.create({ body: { name: 'Ada', slug: 'ada', crew_id: crewId } })).id
    await daemon.client.credentials.create({
      body: { name: 'model', value: 'sk-ant-api03-judged', type: 'API_KEY', provider: 'ANTHROPIC' },
    })
    await assign('plain', 'PLAIN', 'plain-and-harmless', 1)
    await assign('github', 'GH_TOKEN', value, 3)
    await daemon.client.crews.start({ crewId })
    if (contained) {
      const { Id, Config } = await (await containerOf(crewId)).inspect()
      container = Id
      installation = Config.Labels['svc.installation']!
    }
    person = {
      SVC_DATA_DIR: daemon.dataDir,
      SVC_TOKEN: (await daemon.client.tokens.create({ body: { name: 'terminal' } })).token,
      SVC_WORKSPACE: daemon.connection.workspace!,
    }
  })

  afterAll(async () => {
    await daemon?.remove()
    await model?.close()
    if (scratch) rmSync(scratch, { recursive: true, force: true })
    if (installation) await removeInstallation(installation)
  })

  async function assign(name: string, variable: string, secret: string, level: number, seconds?: number) {
    const { id } = await daemon.client.credentials.create({ body: { name, value: secret, security_level: level } })
    const body = { credential_id: id, env_var_name: variable, ...(seconds && { ttl_seconds: seconds }) }
    await daemon.client.credentials.assign({ agentId, body })
  }

  /** Names a judge that says this. */
  async function judged(says: Says) {
    const judge = await judgeServer(says)
    const body = { enabled: true, judge_endpoint_url: judge.url, judge_model: 'qwen3', judge_timeout_ms: 60_000 }
    await daemon.client.keeper.setConfig({ body })
    return judge
  }

  /** A turn of the agent; what its tools told it, in order. */
  async function work(...next: Step[]): Promise<string[]> {
    steps = next
    told.length = 0
    const { run } = await daemon.turn(agentId, 'Work.')
    expect(run).toMatchObject({ status: 'COMPLETED', error_message: null })
    return [...told]
  }

  /** A call of one of Muster's tools, or of the sidecar's route behind it. */
  function call(tool: string, route: string, input: Record<string, unknown>): Step {
    const asked = { intent, credential_name: 'GH_TOKEN', ...input }
    if (contained) return () => ({ text: 'I ask.', tools: [{ name: `mcp__muster__${tool}`, input: asked }] })
    const to = `"$SVC_SIDECAR_URL${route}" -H "Authorization: Bearer $SVC_AGENT_TOKEN" -H "X-Svc-Run-Id: $SVC_RUN_ID"`
    return () => bash(`curl -sS -X POST ${to} -d '${JSON.stringify(asked)}'`)
  }
  const request = call('request_credential', '/keeper/request', {})
  const execute = (command: string, more: object = {}) =>
    call('use_credential', '/keeper/execute', { command, ...more })

  /** Tells of the file that was handed out: its hash, and in how many lines the environment and `.env` hold it. */
  const look: Step = (last) => {
    const file = fileIn(last)
    const count = (what: string) => `$(${what} | grep -cF "$(cat ${file})")`
    const counts = `env=${count('env')} dotenv=${count(`cat ${dirname(file)}/.env`)}`
    return bash(`sha256sum < ${file}; echo "mode=$(stat -c %a ${file}) ${counts}"`)
  }

  /** Names in the agent's secrets folder, and what its `.env` holds, as the agent's own user sees it. */
  function folder(): { names: string[]; dotenv: string } {
    const at = contained ? '/secrets/ada' : join(daemon.dataDir, 'crews', crewId, 'secrets/ada')
    const words = ['sh', '-c', `cd ${at} && ls -A && echo -- && cat .env`]
    const [program = '', ...args] = contained ? ['docker', 'exec', '--user', `${uid}`, container, ...words] : words
    const [names = '', dotenv = ''] = execFileSync(program, args, { encoding: 'utf8' }).split('--\n')
    return { names: names.split('\n').filter(Boolean), dotenv }
  }
  const without = { names: ['.env', 'PLAIN'], dotenv: expect.not.stringContaining('GH_TOKEN') }

  describe.skipIf(missing)('that asks for a credential', () => {
    it('has what the judge allows in a file until its run is over, and not in its environment', async () => {
      await judged(() => ({ decision: 'ALLOW' }))
      const [answer, seen] = await work(request, look)
      expect(answer).toMatch(/"decision":"ALLOW"/)
      expect(seen).toContain(hash)
      expect(seen).toContain('mode=400 env=0 dotenv=0')
      await expect.poll(folder).toEqual(without)
      expect(folder().dotenv).toContain('plain-and-harmless')
    })

    it('gets nothing when the judge denies', async () => {
      await judged(() => ({ decision: 'DENY', reason: 'It does not fit' }))
      const [answer] = await work(request)
      expect(answer).toMatch(/"decision":"DENY"/)
      expect(answer).not.toContain('"file"')
      expect(folder()).toEqual(without)
    })

    it('calls its model with a key that is kept to what it was used for, and all else becomes a question', async () => {
      await work(() => bash('true'))
      const { id: credentialId } = (await daemon.client.credentials.list({ query: {} })).find(
        ({ name }) => name === 'model',
      )!
      const scopes = () => daemon.client.credentials.scopes({ credentialId, query: {} })
      const called = { host: model.url, method: 'POST', path: '/v1/messages' }
      await expect
        .poll(async () => (await scopes()).uses, { timeout: 30_000 })
        .toContainEqual(expect.objectContaining(called))
      const kept = await cli(person).program.run('credentials', 'scopes', 'model', '--enforce', '--yes', '--json')
      expect(kept).toMatchObject({ code: 0 })
      expect(JSON.parse(kept.stdout)).toMatchObject({ enforced: true })
      const models =
        'curl -sS -w "status=%{http_code}" "$ANTHROPIC_BASE_URL/v1/models?limit=1" -H "x-api-key: $ANTHROPIC_API_KEY"'
      const asks = { host: model.url, method: 'GET', path: '/v1/models' }
      // The crew's sidecar learns of the rules a moment after they are set.
      await expect
        .poll(
          async () => {
            const [said = ''] = await work(() => bash(models))
            return said
          },
          { timeout: 60_000 },
        )
        .toMatch(/may not be used for GET .*status=403/s)
      const [waiting] = (await scopes()).waiting
      expect(waiting).toMatchObject({ ...asks, agent_id: agentId })
      const { rows } = await daemon.client.inbox.list({ query: { kind: 'escalation', limit: 500 } })
      const card = rows.find(({ payload }) => payload?.['question_id'] === waiting!.id)
      expect(card!.payload).toMatchObject({ credential_name: 'model', ...asks, agent_id: agentId, crew_id: crewId })
      const allowed = ['--question', waiting!.id, '--decision', 'always']
      expect(await cli(person).program.run('credentials', 'scopes', 'model', ...allowed)).toMatchObject({ code: 0 })
      const [now = ''] = await work(() => bash(models))
      expect(now).not.toContain('may not be used')
      expect(now).not.toContain('status=403')
      await daemon.client.credentials.endScopes({ credentialId })
      expect((await scopes()).enforced).toBe(false)
    })

    it('waits for a person at a terminal, and goes on with what they allow', async () => {
      await judged(() => ({ decision: 'ESCALATE' }))
      const working = work(request, look)
      const waiting = async () => (await daemon.client.keeper.requests({ query: { decision: 'ESCALATE' } }))[0]?.id
      await expect.poll(waiting, { timeout: 60_000 }).toBeTruthy()
      const id = (await waiting())!
      const { rows } = await daemon.client.inbox.list({ query: { kind: 'escalation', limit: 500 } })
      expect(rows.filter(({ title }) => title.includes('asks for the credential github'))).toHaveLength(1)
      const resolved = await cli(person).program.run('keeper', 'resolve', id, 'ALLOW')
      expect(resolved).toMatchObject({ code: 0 })
      const [answer, seen] = await working
      expect(answer).toMatch(/"decision":"ALLOW"/)
      expect(seen).toContain(hash)
      await expect.poll(folder).toEqual(without)
    })

    it('has it for as long as a lease goes on, also in the next run, and loses it in the middle of that', async () => {
      await judged(() => ({ decision: 'ALLOW' }))
      await daemon.client.keeper.setGovernance({ body: { auto_lease_seconds: 3600 } })
      const [answer] = await work(request)
      expect(answer).toMatch(/"expires_at":"/)
      await daemon.client.keeper.setGovernance({ body: { auto_lease_seconds: 0 } })
      await work(
        () => bash('true'),
        async () => {
          expect(folder().names).toContain('GH_TOKEN')
          expect(folder().dotenv).toContain(value)
          endLeases()
          await expect.poll(folder, { timeout: 60_000 }).toEqual(without)
          return { text: 'Gone.' }
        },
      )
    })

    it('has a command carried out with it, and sees neither the value nor a file', async () => {
      await judged(() => ({ decision: 'ALLOW' }))
      const [answer] = await work(execute('printenv TOKEN', { env_var: 'TOKEN' }))
      expect(answer).toMatch(/"decision":"ALLOW"/)
      expect(answer).toMatch(/"exit_code":0/)
      expect(answer).toMatch(/"output":"[^"]+/)
      expect(answer).not.toContain(value)
      expect(folder()).toEqual(without)
    })

    it('has a command stopped when what it has of the credential ends in its middle', async () => {
      await judged(() => ({ decision: 'ALLOW' }))
      const [answer] = await work(async (last) => {
        await assign('short', 'SHORT', 'short-lived-value-17', 3, 10)
        return execute('sleep 55', { credential_name: 'SHORT' })(last)
      })
      expect(answer).toMatch(/"exit_code":124/)
      expect(answer).toContain('ended, and the command was stopped')
    })

    it('is denied what was being judged when the daemon was killed', async () => {
      const judge = await judged(() => null)
      steps = [request]
      await daemon.say(await daemon.openChat(agentId), 'Work.')
      await expect.poll(() => judge.asked.length, { timeout: 60_000 }).toBe(1)
      const newest = async () => (await daemon.client.keeper.requests({ query: {} }))[0]!
      expect((await newest()).decision).toBeNull()
      const { id } = await newest()
      await daemon.kill()
      await daemon.start()
      const shown = () => daemon.client.keeper.show({ requestId: id })
      await expect.poll(async () => (await shown()).decision).toBe('DENY')
      const events = await daemon.client.keeper.history({ requestId: id })
      expect(events.map(({ state }) => state)).toEqual(['PENDING', 'DENY'])
      expect(folder().names).not.toContain('GH_TOKEN')
    })
  })

  /** The time of every lease is over, as the daemon sees it next. */
  function endLeases(): void {
    const db = new Database(join(daemon.dataDir, 'muster.db'))
    const past = new Date(Date.now() - 1000).toISOString().replace(/\.\d+/, '')
    const set =
      "UPDATE agent_credentials SET expires_at = ? WHERE lease_source IN ('keeper_allow', 'escalation_approve')"
    expect(db.prepare(set).run(past).changes).toBe(1)
    db.close()
  }
})
