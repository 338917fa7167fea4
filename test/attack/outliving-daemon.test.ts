import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../daemon/runtime/docker/exec.ts'
import { cli } from '../support/cli.ts'
import { deferred } from '../support/deferred.ts'
import { agentProcesses, bridgeAddress, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { endsIn, type Installation, install, spoken } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type MessagesBody, type ModelEndpoint, modelEndpoint, type ScriptedTurn } from '../support/model-endpoint.ts'

// The vendor's client in the hands of a hostile agent, against the built daemon: what was left behind is gone after
// every kind of end.

const host = await bridgeAddress()
const missing =
  engineMissing ||
  (host ? false : 'the Docker engine is on another machine, where containers cannot reach the scripted model')
leaveOut(missing)

/**
 * Leaves the client's session, group, ancestry, environment and most signals; the command is over once that is done.
 */
const flight = `rm -f up; env -i PATH="$PATH" setsid -f sh -c 'trap "" HUP INT QUIT TERM; (setsid sh -c "touch up;
  exec sleep 9999" &)' </dev/null >/dev/null 2>&1
until [ -e up ]; do sleep 0.1; done`

const goOn = deferred()

function script({ messages }: MessagesBody): ScriptedTurn {
  const first = JSON.stringify(messages.find(({ role }) => role === 'user'))
  if (first.includes('Work on.'))
    return { text: ['Working. ', 'Done.'], pace: (n) => (n === 0 ? undefined : goOn.promise) }
  if (!messages.some(({ role }) => role === 'assistant'))
    return { text: 'I flee.', tools: [{ name: 'Bash', input: { command: flight } }] }
  if (first.includes('Flee and ask.'))
    return { text: 'I ask.', tools: [{ name: 'mcp__muster__ask_human', input: { question: 'May I stay?' } }] }
  return { text: 'I am away.', hangs: true }
}

interface Agent {
  id: string
  uid: number
}
interface Turn {
  chatId: string
  runId: string
}

let model: ModelEndpoint
let daemon: Installation
let crewId: string
let installation: string
let mates: Turn
const agents: Record<string, Agent> = {}

async function hire(slug: string, more: object = {}): Promise<void> {
  const { id } = await daemon.client.agents.create({ body: { name: slug, slug, crew_id: crewId, ...more } })
  agents[slug] = { id, uid: 20001 + Object.keys(agents).length }
}

beforeAll(async () => {
  if (missing) return
  model = await modelEndpoint(script, { host: host! })
  daemon = await install({
    SVC_CONTAINER_PREFIX: 'muster-outliving',
    SVC_ANTHROPIC_URL: model.url,
    SVC_CONTAINER_MEMORY_MB: '2048',
  })
  const { client } = daemon
  crewId = (await client.crews.create({ body: { name: 'Stays', slug: 'stays' } })).id
  await client.credentials.create({
    body: { name: 'key', value: 'sk-ant-api03-outliving', type: 'API_KEY', provider: 'ANTHROPIC' },
  })
  const { id: credential_id } = await client.credentials.create({
    body: { name: 'token', value: 'gives-access-4711', type: 'SECRET', provider: 'NONE' },
  })
  await hire('mate')
  await hire('ada')
  await hire('eve', { timeout_seconds: 20 })
  for (const slug of ['gus', 'hal']) {
    await hire(slug)
    await client.credentials.assign({ agentId: agents[slug]!.id, body: { credential_id, env_var_name: 'TOKEN' } })
  }
  await client.crews.start({ crewId })
  installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
  mates = await begun('mate', 'Work on.', ({ type }) => type === 'text')
})

afterAll(async () => {
  goOn.resolve()
  await daemon?.remove()
  await model?.close()
  if (installation) await removeInstallation(installation)
})

/** Begins a turn and reads it up to the first such line. */
async function begun(slug: string, prompt: string, enough: (line: { type: string }) => boolean): Promise<Turn> {
  const turn = { chatId: await daemon.openChat(agents[slug]!.id), runId: '' }
  for await (const line of daemon.watch(turn.chatId, { follow: true })) {
    if (line.type === 'stream.open') turn.runId = await daemon.say(turn.chatId, prompt)
    if (line.type === 'done') throw new Error(`${slug} was done before its time`)
    if (enough(line)) break
  }
  return turn
}

/** Resolves when the chat has told the end of its turn; what was said in it. */
async function over({ chatId }: Turn): Promise<string> {
  const frames = []
  for await (const line of daemon.watch(chatId, { last_seq: 1, follow: true })) {
    frames.push(line)
    if (line.type === 'done') break
  }
  return spoken(frames)
}

const processesOf = async (slug: string) => agentProcesses(await containerOf(crewId), agents[slug]!.uid)

/** Has an agent flee from its client, which goes on. */
async function fled(slug: string, prompt = 'Flee.'): Promise<Turn> {
  const turn = await begun(slug, prompt, ({ type }) => type === 'tool_result')
  expect(await processesOf(slug)).toContain('sleep 9999')
  return turn
}

const runOf = ({ runId }: Turn) => daemon.client.runs.show({ runId })

async function expectMateAtWork(): Promise<void> {
  expect(await runOf(mates)).toMatchObject({ status: 'RUNNING' })
  expect(await processesOf('mate')).not.toEqual([])
}

describe.skipIf(missing)('what an agent left running is gone when its run', () => {
  it('is cancelled', async () => {
    const turn = await fled('ada')
    await daemon.client.chats.cancel({ chatId: turn.chatId })
    await over(turn)
    expect(await processesOf('ada')).toEqual([])
    expect(await runOf(turn)).toMatchObject({ status: 'CANCELLED' })
    await expectMateAtWork()
  })

  it('takes too long', async () => {
    const turn = await fled('eve')
    await over(turn)
    expect(await processesOf('eve')).toEqual([])
    expect(await runOf(turn)).toMatchObject({ status: 'TIMEOUT' })
    await expectMateAtWork()
  })

  it('ends with its agent, which is stopped', async () => {
    const turn = await fled('ada')
    expect(await daemon.client.agents.stop({ agentId: agents['ada']!.id })).toMatchObject({ status: 'stopped' })
    expect(await processesOf('ada')).toEqual([])
    expect(await runOf(turn)).toMatchObject({ status: 'CANCELLED' })
    await expectMateAtWork()
  })

  it('waits for a person', async () => {
    const turn = await fled('ada', 'Flee and ask.')
    await over(turn)
    expect(await processesOf('ada')).toEqual([])
    expect(await runOf(turn)).toMatchObject({ status: 'RUNNING' })
    await daemon.client.chats.cancel({ chatId: turn.chatId })
    await expectMateAtWork()
  })
})

const inCrew = async (user: string, ...argv: string[]) => (await run(await containerOf(crewId), { user, argv })).stdout

/** Files of a secrets folder, as its owner sees them; the last word tells that nobody ended the command before. */
const secretsOf = (slug: string) =>
  inCrew(`${agents[slug]!.uid}:1001`, 'sh', '-c', `ls -A /secrets/${slug} 2>/dev/null; echo looked`)
const foldersOf = (slug: string) =>
  inCrew(
    '0:0',
    'sh',
    '-c',
    `ls -d /crew/agents/${slug} /output/${slug} /workspace/${slug} /spool/${slug} 2>/dev/null; echo looked`,
  )

const connect = `require('net').connect(9119, '127.0.0.1').on('data', (said) => { console.log(String(said));
  process.exit() })
  .write('CONNECT nowhere.invalid:443 HTTP/1.1\\r\\n\\r\\n')`
/** What the sidecar answers to a process with the agent's uid. */
const letOut = (slug: string) => inCrew(`${agents[slug]!.uid}:1001`, 'node', '-e', connect)

/** That nothing of a deleted agent is left once its crew has been looked at. */
async function expectNothingOf(slug: string): Promise<void> {
  await daemon.client.crews.start({ crewId })
  const patience = { timeout: 30_000, interval: 250 }
  await expect.poll(() => foldersOf(slug), patience).toBe('looked\n')
  await expect.poll(() => secretsOf(slug), patience).toBe('looked\n')
  await expect.poll(() => letOut(slug), patience).toContain('who asks is no agent of this crew')
  expect(await processesOf(slug)).toEqual([])
}

describe.skipIf(missing)('an agent that is deleted while it works', () => {
  it('leaves no process, no folder and no secret, and its uid is let nowhere', async () => {
    const turn = await fled('gus')
    expect(await secretsOf('gus')).toContain('TOKEN\n')
    expect((await foldersOf('gus')).split('\n')).toHaveLength(6)
    expect(await letOut('gus')).not.toContain('no agent of this crew')
    await daemon.client.agents.remove({ agentId: agents['gus']!.id })
    await expectNothingOf('gus')
    expect(endsIn(await daemon.entriesOf(turn.runId))).toMatchObject([{ entry_type: 'run.cancelled' }])
    await expectMateAtWork()
  })

  it('leaves as little when the daemon is killed right after the answer', async () => {
    const turn = await fled('hal')
    await daemon.client.agents.remove({ agentId: agents['hal']!.id })
    await daemon.kill()
    await daemon.start()
    await expectNothingOf('hal')
    expect(endsIn(await daemon.entriesOf(turn.runId))).toMatchObject([{ entry_type: 'run.cancelled' }])
    await expectMateAtWork()
  })

  it('does not disturb the crew-mate that worked all the while', async () => {
    goOn.resolve()
    expect(await over(mates)).toBe('Working. Done.')
    expect(await runOf(mates)).toMatchObject({ status: 'COMPLETED', error_message: null })
  })
})

describe.skipIf(missing)('a crew', () => {
  it('that is stopped takes along what its agents left, and starts without it', async () => {
    const turn = await fled('ada')
    await daemon.client.crews.stop({ crewId })
    expect((await (await containerOf(crewId)).inspect()).State.Running).toBe(false)
    await over(turn)
    expect(await runOf(turn)).toMatchObject({ status: 'CANCELLED' })
    await daemon.client.crews.start({ crewId })
    expect(await processesOf('ada')).toEqual([])
  })

  it('says why a run was lost when its sidecar is killed, and what that run left is gone', async () => {
    const turn = await fled('ada')
    await (await containerOf(crewId, 'sidecar')).kill()
    await over(turn)
    const reason = "the crew's sidecar was killed while the agent worked; Muster restarted it"
    expect(await runOf(turn)).toMatchObject({ status: 'FAILED', error_message: expect.stringContaining(reason) })
    const { token } = await daemon.client.tokens.create({ body: { name: 'terminal' } })
    const muster = cli({ SVC_DATA_DIR: daemon.dataDir, SVC_TOKEN: token, SVC_WORKSPACE: daemon.connection.workspace! })
    expect((await muster.run('runs', 'show', turn.runId)).stdout).toContain(reason)
    await daemon.client.crews.start({ crewId })
    expect(await processesOf('ada')).toEqual([])
  })
})
