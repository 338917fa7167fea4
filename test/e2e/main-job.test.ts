// Long, since every step of it works with the same daemon and the same crew, which take longest to bring up.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { events } from '#client/events'
import { run } from '../../daemon/runtime/docker/exec.ts'
import {
  agentProcesses,
  belongings,
  bridgeAddress,
  containerOf,
  engine,
  engineMissing,
  removeInstallation,
  untilEngine,
} from '../support/engine.ts'
import { endsIn, filesWith, type Installation, install, spoken } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import {
  type MessagesBody,
  type ModelEndpoint,
  modelEndpoint,
  type RecordedRequest,
  type ScriptedTurn,
} from '../support/model-endpoint.ts'

const host = await bridgeAddress()
const missing =
  engineMissing ||
  (host ? false : 'the Docker engine is on another machine, where containers cannot reach the scripted model')
leaveOut(missing)

const keys = {
  good: 'sk-ant-api03-good-7f3a91c2d4',
  bad: 'sk-ant-api03-bad-5b8e20aa17',
  spent: 'sk-ant-api03-spent-c94d1e6f08',
  next: 'sk-ant-api03-next-e1b7730d52',
}

type Answer = (step: number, request: RecordedRequest) => ScriptedTurn | Promise<ScriptedTurn>

/** What the model says to whom: by the text that a person sent. */
const answers = new Map<string, Answer>()
const promptOf = ({ messages }: MessagesBody): string => {
  const { content } = messages.find(({ role }) => role === 'user')!
  return typeof content === 'string' ? content : (content.at(-1)?.text ?? '')
}
const stepOf = ({ messages }: MessagesBody): number => messages.filter(({ role }) => role === 'assistant').length
/** Keys that came with the calls of one prompt, in order. */
const keysOf = (prompt: string) =>
  model.requests.filter(({ body }) => body?.messages && promptOf(body) === prompt).map(({ key }) => key)

const bash = (command: string): ScriptedTurn => ({
  text: 'I use a tool.',
  tools: [{ name: 'Bash', input: { command } }],
})

let model: ModelEndpoint
let daemon: Installation
let crewId: string
let installation: string
const agents: Record<string, string> = {}
const credentials: Record<string, string> = {}

async function addAgent(slug: string, pays: string[], more: object = {}): Promise<void> {
  const { id } = await daemon.client.agents.create({ body: { name: slug, slug, crew_id: crewId, ...more } })
  agents[slug] = id
  for (const [priority, name] of pays.entries()) {
    await daemon.client.credentials.assign({
      agentId: id,
      body: { credential_id: credentials[name]!, env_var_name: 'ANTHROPIC_API_KEY', priority },
    })
  }
}

beforeAll(async () => {
  model = await modelEndpoint(
    (body, _, request) => {
      if (request.key === keys.bad) return { status: 401 }
      if (request.key === keys.spent) return { status: 429, retryAfter: 1 }
      return answers.get(promptOf(body))?.(stepOf(body), request) ?? { text: 'Hello.' }
    },
    { host: host!, keys: Object.values(keys) },
  )
  daemon = await install({
    SVC_CONTAINER_PREFIX: 'muster-e2e',
    SVC_ANTHROPIC_URL: model.url,
    SVC_CONTAINER_MEMORY_MB: '3072',
  })
  const { client } = daemon
  crewId = (await client.crews.create({ body: { name: 'Works', slug: 'works' } })).id
  for (const name of ['good', 'bad', 'spent'] as const) {
    const made = await client.credentials.create({
      body: { name, value: keys[name], type: 'API_KEY', provider: 'ANTHROPIC' },
    })
    credentials[name] = made.id
  }
  const token = await client.credentials.create({
    body: { name: 'token', value: 'bobs-token-31d9', type: 'SECRET', provider: 'NONE' },
  })
  await addAgent('ada', ['good'])
  await addAgent('bob', ['good'])
  await client.credentials.assign({
    agentId: agents['bob']!,
    body: { credential_id: token.id, env_var_name: 'BOBS_TOKEN' },
  })
  await addAgent('cyd', ['bad'])
  await addAgent('dee', ['spent', 'good'])
  await addAgent('eve', ['good'], { timeout_seconds: 4 })
  await client.crews.start({ crewId })
  installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
})

afterAll(async () => {
  await daemon?.remove()
  await model?.close()
  if (installation) await removeInstallation(installation)
})

const statusOf = async (slug: string) => (await daemon.client.agents.show({ agentId: agents[slug]! })).status

const running = async () => agentProcesses(await containerOf(crewId))

describe.skipIf(missing)("a crew with the vendor's own client", () => {
  it('answers a turn with text', async () => {
    const { frames, run, entries, answer } = await daemon.turn(agents['ada']!, 'Say hello.')
    expect(spoken(frames)).toBe('Hello.')
    expect(answer).toMatchObject({ role: 'assistant', content: 'Hello.' })
    expect(run).toMatchObject({ status: 'COMPLETED', exit_code: 0, error_message: null, cli_version: '2.1.197' })
    expect(entries.map(({ entry_type }) => entry_type)).toEqual([
      'chat.user_message',
      'run.started',
      'exec.command',
      'run.session_init',
      'exec.command',
      'chat.agent_response',
      'run.completed',
    ])
    expect(await statusOf('ada')).toBe('IDLE')
  })

  it('runs a tool, and the file that it wrote is served', async () => {
    answers.set('Write it down.', (step) =>
      step === 0 ? bash('echo "written by $SVC_AGENT_ID" > note.txt') : { text: 'Done.' },
    )
    const { frames, run, answer } = await daemon.turn(agents['ada']!, 'Write it down.')
    expect(run.status).toBe('COMPLETED')
    expect(frames.map(({ type }) => type).filter((type) => type.startsWith('tool'))).toEqual([
      'tool_call',
      'tool_result',
    ])
    expect(answer).toMatchObject({ tool_summary: 'Bash', content: 'I use a tool.\n\nDone.' })
    expect(await daemon.download(agents['ada']!, 'note.txt')).toBe(`written by ${agents['ada']}\n`)
    expect(await daemon.client.files.list({ agentId: agents['ada']!, query: {} })).toMatchObject([
      { path: 'note.txt', is_dir: false },
    ])
  })

  it('fails with a bad key, and says so everywhere', async () => {
    const { frames, run, entries, answer } = await daemon.turn(agents['cyd']!, 'Try it.')
    const reason = expect.stringMatching(/^The model service refused the key/)
    expect(run).toMatchObject({ status: 'FAILED', error_message: reason })
    expect(frames.filter(({ type }) => type === 'error')).toMatchObject([
      { content: reason, metadata: { reason: 'bad_key' } },
    ])
    expect(answer).toMatchObject({ role: 'system', content: reason })
    expect(endsIn(entries)).toMatchObject([
      {
        entry_type: 'run.failed',
        severity: 'error',
        payload: { error_message: reason, metadata: { error_kind: 'bad_key' } },
      },
    ])
    expect(entries.filter(({ entry_type }) => entry_type === 'chat.agent_response')).toEqual([])
    expect(
      entries.filter(({ entry_type, payload }) => entry_type === 'exec.command' && payload?.['phase'] === 'end'),
    ).toMatchObject([{ severity: 'error' }])
    expect(await statusOf('cyd')).toBe('ERROR')
    expect(new Set(keysOf('Try it.'))).toEqual(new Set([keys.bad]))
  })

  it('is cancelled half-way: what was said stays, and no process does', async () => {
    answers.set('Work long.', () => ({ text: ['Half of ', 'it'], hangs: true }))
    const { frames, run, entries, answer } = await daemon.turn(
      agents['ada']!,
      'Work long.',
      async (frame, { chatId }) => {
        if (frame.type === 'text' && frame.content === 'it') await daemon.client.chats.cancel({ chatId })
      },
    )
    expect(await running()).toEqual([])
    expect(run).toMatchObject({ status: 'CANCELLED' })
    expect(spoken(frames)).toBe('Half of it')
    expect(answer).toMatchObject({ role: 'assistant', content: 'Half of it', metadata: { status: 'CANCELLED' } })
    expect(endsIn(entries)).toMatchObject([{ entry_type: 'run.cancelled', actor_type: 'user' }])
    expect(await statusOf('ada')).toBe('IDLE')
    await model.until(() =>
      model.requests.some(({ aborted, body }) => aborted && body !== null && promptOf(body) === 'Work long.'),
    )
  })

  it('is cancelled with all that its commands left running, in sessions of their own too', async () => {
    const left = ['sleep 301', 'sleep 302']
    answers.set('Leave something.', (step) =>
      step === 0
        ? bash('setsid sleep 301 >/dev/null 2>&1 & sleep 302 >/dev/null 2>&1 & echo left')
        : { text: 'Left it.', hangs: true },
    )
    const { run } = await daemon.turn(agents['ada']!, 'Leave something.', async (frame, { chatId }) => {
      if (frame.type !== 'text' || frame.content !== 'Left it.') return
      expect(await running()).toEqual(expect.arrayContaining(left))
      await daemon.client.chats.cancel({ chatId })
    })
    expect(await running()).toEqual([])
    expect(run).toMatchObject({ status: 'CANCELLED' })
  })

  it('is ended when its time is over', async () => {
    answers.set('Take your time.', () => bash('echo began; setsid sleep 303 & sleep 304'))
    const { run, frames, entries } = await daemon.turn(agents['eve']!, 'Take your time.')
    expect(await running()).toEqual([])
    expect(run).toMatchObject({ status: 'TIMEOUT', error_message: 'The run took longer than it may' })
    expect(frames.at(-2)).toMatchObject({ type: 'error', metadata: { reason: 'timeout' } })
    expect(endsIn(entries)).toMatchObject([{ entry_type: 'run.timeout', severity: 'error' }])
    expect(await statusOf('eve')).toBe('ERROR')
  })

  it('keeps agents out of what is another’s, and the real key out of all of them', async () => {
    const until = (file: string) => `while [ ! -e /crew/shared/${file} ]; do sleep 0.05; done`
    const foldersOf = (slug: string) =>
      ['crew/agents', 'output', 'workspace', 'spool', 'secrets'].map((it) => `/${it}/${slug}`)
    answers.set('Hide.', (step) =>
      step === 0
        ? bash(
            `for it in ${foldersOf('bob').slice(0, 3).join(' ')}; do echo bobs-note > $it/note; done; cat ` +
              `$SVC_SECRETS_DIR/BOBS_TOKEN | wc -c; touch /crew/shared/hidden; ${until('sought')}`,
          )
        : { text: 'Hidden.' },
    )
    // Prints whose folders it can list, read and write, whose processes it can look into and signal.
    const look = `${until('hidden')}
      for it in ${[...foldersOf('ada'), ...foldersOf('bob')].join(' ')}; do
        touch "$it/mine" 2>/dev/null && echo "writes $it"
        ls "$it" >/dev/null 2>&1 && echo "lists $it"
        [ -z "$(find "$it" -type f -readable 2>/dev/null)" ] || echo "reads $it"
      done
      for it in /proc/[0-9]*; do cat "$it/environ" >/dev/null 2>&1 && stat -c 'reads %u' "$it"; done | sort -u
      for it in /proc/[0-9]*; do kill -0 "\${it#/proc/}" 2>/dev/null && stat -c 'signals %u' "$it"; done | sort -u
      touch /crew/shared/sought`
    answers.set('Seek.', (step) => (step === 0 ? bash(look) : { text: 'Nothing.' }))
    let searched: unknown
    const [hidden, sought] = await Promise.all([
      daemon.turn(agents['bob']!, 'Hide.'),
      daemon.turn(agents['ada']!, 'Seek.', async (frame) => {
        if (frame.type === 'tool_call') searched = await searchForKeys()
      }),
    ])
    const resultOf = ({ frames }: typeof hidden) =>
      frames.flatMap((it) => (it.type === 'tool_result' ? [it.content.trim()] : []))
    const own = foldersOf('ada').flatMap((it) => ['writes', 'lists', 'reads'].map((what) => `${what} ${it}`))
    expect(resultOf(sought)[0]!.split('\n')).toEqual([...own, 'reads 20001', 'signals 20001'])
    expect(resultOf(hidden)).toEqual([String('bobs-token-31d9'.length)])
    expect(searched).toEqual({ control: ['/output/ada/note.txt'], found: [] })
    expect([hidden, sought].map(({ run }) => run.status)).toEqual(['COMPLETED', 'COMPLETED'])
    expect(new Set(keysOf('Seek.'))).toEqual(new Set([keys.good]))
  })

  it('is kept from everywhere else, and what it tried is on record', async () => {
    const [{ id: lastEventId = '' } = {}] = (await daemon.client.journal.list({ query: { limit: 1 } })).entries
    const code = "curl -s -o /dev/null -w '%{http_code}\\n' -m 5"
    answers.set('Go out.', (step) =>
      step === 0
        ? bash(
            `${code} http://forbidden.example/; ${code} --noproxy '*' ${model.url}/straight; ${code} ` +
              `${model.url}/over-the-proxy`,
          )
        : { text: 'No way.' },
    )
    const { run, frames } = await daemon.turn(agents['ada']!, 'Go out.')
    expect(run.status).toBe('COMPLETED')
    expect(frames.filter(({ type }) => type === 'tool_result')).toMatchObject([{ content: '403\n000\n403' }])
    expect(model.requests.filter(({ path }) => path === '/straight' || path === '/over-the-proxy')).toEqual([])
    const refused: unknown[] = []
    for await (const { data } of events(daemon.connection, `/api/v1/journal/stream?entry_type=network.egress`, {
      lastEventId,
    })) {
      if (refused.push(JSON.parse(data)) === 2) break
    }
    const about = { severity: 'warn', agent_id: agents['ada'], crew_id: crewId }
    expect(refused).toMatchObject([
      { ...about, payload: { denied: true, host: 'forbidden.example', port: 80 } },
      { ...about, payload: { denied: true, host } },
    ])
  })

  it('goes on with the next credential when one is spent, and with a new value when it is rotated', async () => {
    answers.set('Pay.', async (step) => {
      if (step === 1) return { text: 'Paid.' }
      await daemon.client.credentials.rotate({ credentialId: credentials['good']!, body: { value: keys.next } })
      // Resolves when the crew is as it is wished, its sidecar included.
      await daemon.client.crews.start({ crewId })
      return bash('true')
    })
    const { run, frames } = await daemon.turn(agents['dee']!, 'Pay.')
    expect(run.status).toBe('COMPLETED')
    expect(spoken(frames)).toBe('I use a tool.Paid.')
    expect(keysOf('Pay.')).toEqual([keys.spent, keys.good, keys.next])
    const spent = () => daemon.client.credentials.show({ credentialId: credentials['spent']! })
    await vi.waitUntil(async () => (await spent()).status === 'RATE_LIMITED')
    expect((await daemon.turn(agents['ada']!, 'Say hello again.')).run.status).toBe('COMPLETED')
    expect(keysOf('Say hello again.')).toEqual([keys.next])
  })

  it('tells when its container is killed, and comes up again with what it had', async () => {
    answers.set('Hold on.', () => ({ text: 'Holding on', hangs: true }))
    const killed = await daemon.turn(agents['ada']!, 'Hold on.', async (frame) => {
      if (frame.type === 'text') await (await containerOf(crewId)).kill()
    })
    expect(killed.run).toMatchObject({ status: 'FAILED', error_message: expect.stringContaining('process is gone') })
    expect(killed.answer).toMatchObject({ role: 'assistant', content: 'Holding on' })
    expect(endsIn(killed.entries)).toHaveLength(1)
    expect(await statusOf('ada')).toBe('ERROR')
    const next = await daemon.turn(agents['ada']!, 'And now?')
    expect(next.run.status).toBe('COMPLETED')
    expect(await statusOf('ada')).toBe('IDLE')
    expect(await daemon.download(agents['ada']!, 'note.txt')).toBe(`written by ${agents['ada']}\n`)
  })

  it('leaves nothing on the engine when it is deleted, not even in the middle of a run', async () => {
    const there = await belongings(installation)
    expect(there, there.join(', ')).toHaveLength(9)
    answers.set('Stay.', () => ({ text: 'Staying.', hangs: true }))
    const chatId = await daemon.openChat(agents['ada']!)
    const runId = await daemon.say(chatId, 'Stay.')
    for await (const frame of daemon.watch(chatId))
      if (frame.type === 'text') await daemon.client.crews.remove({ crewId })
    await untilEngine(async () => (await belongings(installation)).length === 0)
    expect(endsIn(await daemon.entriesOf(runId))).toMatchObject([{ entry_type: 'run.cancelled' }])
    expect(await engine.listContainers({ all: true, filters: { label: [`svc.crew-id=${crewId}`] } })).toEqual([])
  })

  it('gave no key away: not to the journal, not to a log, not in a reply', async () => {
    const texts = [...Object.values(keys), 'bobs-token-31d9'].flatMap((key) => [
      key,
      Buffer.from(key).toString('base64'),
      Buffer.from(key).toString('hex'),
    ])
    expect(daemon.said.filter((it) => texts.some((text) => it.includes(text)))).toEqual([])
    expect(filesWith(daemon.dataDir, texts)).toEqual([])
    expect(await daemon.client.journal.verify({ query: {} })).toMatchObject({ valid: true, broken: null })
    expect(readFileSync(`${daemon.dataDir}/muster.db`).length).toBeGreaterThan(0)
  })
})

/**
 * Looks for the real keys as everybody who can be in the crew; lines that hold one, and where something was found that
 * is there.
 */
async function searchForKeys(): Promise<{ control: string[]; found: string[] }> {
  const container = await containerOf(crewId)
  // Patterns that do not find themselves.
  const pattern = (text: string) => `${text.slice(0, -1)}[${text.at(-1)}]`
  const all = Object.values(keys).map(pattern).join('|')
  const folders = Object.keys(agents).map((slug) => `/secrets/${slug}`)
  const places =
    `/crew /workspace /output /spool /secrets ${folders.join(' ')} /tmp /run ` + '/dev/shm /etc /opt /root /home /var'
  const script = `grep -rlsE '${pattern(`written by ${agents['ada']}`)}' ${places} | sed 's/^/control /'
    grep -rlsE '${all}' ${places} | sed 's/^/found /'
    cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -E '${all}' | sed 's/^/found /'`
  const users = ['0:0', '1002:1002', '20001:1001', '20002:1001']
  const outputs = await Promise.all(
    users.map(async (user) => (await run(container, { user, argv: ['sh', '-c', script] })).stdout),
  )
  const lines = (kind: string) =>
    [...new Set(outputs.join('').split('\n'))]
      .filter((it) => it.startsWith(kind))
      .map((it) => it.slice(kind.length + 1))
  return { control: lines('control'), found: lines('found') }
}
