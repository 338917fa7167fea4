import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { crashWhileStarting, type Musterd, startMusterd } from '../support/musterd.ts'

const root = new URL('../..', import.meta.url).pathname
const data = mkdtempSync(join(tmpdir(), 'muster-crash-'))
const [rounds, killsOfRound, runsOfRound] = [20, 10, 2]
const env = {
  SVC_DATA_DIR: data,
  SVC_PORT: '0',
  SVC_CONTAINER_PROVIDER: 'process',
  SVC_CLAUDE_COMMAND: join(root, 'templates/demo/claude-stand-in/claude'),
  SVC_LOG_LEVEL: 'error',
  HOME: data,
}

let daemon: Musterd | undefined
let headers: Record<string, string> = {}
let W = ''
afterAll(async () => {
  await daemon?.stop()
  rmSync(data, { recursive: true, force: true })
})

// biome-ignore lint/suspicious/noExplicitAny: a test states the shape that it expects
async function call(method: string, path: string, body?: object): Promise<any> {
  const reply = await fetch(`${daemon!.url}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(reply.ok, `${method} ${path}: ${reply.status}`).toBe(true)
  return reply.json()
}

const inner = {
  dsl_version: '1.0',
  name: 'inner',
  inputs: [{ name: 'n', type: 'number' }],
  steps: [
    { id: 'sleep', type: 'wait', wait: { kind: 'datetime', until: '2026-01-01T00:00:00Z' } },
    { id: 'twice', type: 'code', code: { code: 'inputs.n * 2.0' } },
  ],
}

/** One step of every type that needs no other server, and effects that can be counted. */
const outer = {
  dsl_version: '1.0',
  name: 'outer',
  inputs: [{ name: 'key', type: 'string', required: true }],
  steps: [
    { id: 'list', type: 'code', code: { code: '[1.0, 2.0, 3.0]' } },
    { id: 'size', type: 'transform', transform: { input: '{{ steps.list.output }}', expression: '. | length' } },
    {
      id: 'each',
      type: 'foreach',
      foreach: {
        items: '{{ steps.list.output }}',
        parallelism: 2,
        steps: [
          { id: 'issue', type: 'platform', action: 'issue.create', args: { title: '{{ inputs.key }} {{ item }}' } },
          { id: 'note', type: 'code', code: { code: 'item + 1.0' } },
        ],
      },
    },
    { id: 'call', type: 'call_pipeline', pipeline_slug: 'inner', inputs: { n: '{{ steps.size.output }}' } },
    {
      id: 'work',
      type: 'agent_run',
      agent_slug: 'ada',
      prompt: 'count to 2',
      retry: { max_attempts: 10, backoff: { min_ms: 0, jitter: false } },
    },
    { id: 'script', type: 'script', script: { path: 'note.sh', args: ['{{ inputs.key }}'] } },
    { id: 'event', type: 'wait', wait: { kind: 'event', event_type: 'go' } },
    { id: 'ask', type: 'wait', wait: { kind: 'approval', approval_prompt: '{{ inputs.key }}' } },
    { id: 'look', type: 'query', query: { source: 'pipeline_runs' } },
    { id: 'tell', type: 'notify', notify: { to: 'workspace', title: 'told {{ inputs.key }}' } },
  ],
  outputs: { n: '{{ steps.call.output }}', key: '{{ inputs.key }}' },
}

/** Does what people and other systems do for runs that wait; the daemon may be killed meanwhile. */
async function decide(): Promise<void> {
  for (const { token } of await call('GET', `${W}/pipelines/waitpoints`))
    await call('POST', `${W}/pipelines/waitpoints/${token}/approve`, { approved: true })
  await call('POST', `${W}/signals`, { event_type: 'go' })
}

const asked = new Set<string>()
const run = async (key: string) =>
  call('POST', `${W}/pipelines/outer/run`, { inputs: { key }, idempotency_key: key, wait_seconds: 0 })

it('no step takes effect twice and no run is lost over 200 crashes', {
  timeout: 1_800_000,
}, async () => {
  daemon = await startMusterd(env)
  const person = { full_name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
  const made = await call('POST', '/bootstrap', person)
  headers = { authorization: `Bearer ${made.cli_token}`, 'x-workspace-id': made.workspace_id }
  W = `/workspaces/${made.workspace_id}`
  const crew = await call('POST', '/crews', { name: 'Works', slug: 'works' })
  await call('POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew.id })
  const shared = join(data, 'crews', crew.id, 'shared')
  mkdirSync(shared, { recursive: true })
  writeFileSync(join(shared, 'note.sh'), 'echo "$1" >> "$SVC_CREW_SHARED/noted"; sleep 0.3; echo "$INPUT_KEY"')
  for (const definition of [inner, outer]) {
    const gates = { skip_test_gate: true, skip_governance_gate: true }
    await call('POST', `${W}/pipelines/save`, { slug: definition.name, definition, author_crew_id: crew.id, ...gates })
  }
  for (let round = 0; round < rounds; round++) {
    daemon ??= await startMusterd(env)
    const acts = (async () => {
      for (let n = 0; n < runsOfRound; n++) {
        await run(`r${round}-${n}`)
        asked.add(`r${round}-${n}`)
      }
      await decide()
    })()
    // What is cut off by the crash is not known to have happened.
    const acted = acts.catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 1500))
    await daemon.kill()
    await acted
    daemon = undefined
    for (let n = 1; n < killsOfRound; n++) await crashWhileStarting(env, 300 + Math.random() * 1000)
  }

  daemon = await startMusterd(env)
  // Whoever was not answered asks again.
  for (let round = 0; round < rounds; round++) for (let n = 0; n < runsOfRound; n++) await run(`r${round}-${n}`)
  const rows = async () => (await call('GET', `${W}/pipelines/outer/run-records?limit=200`)) as Row[]
  const open = async () => {
    await decide()
    return (await rows()).filter(({ ended_at }) => ended_at === '').length
  }
  await expect.poll(open, { timeout: 600_000, interval: 500 }).toBe(0)

  const all = await rows()
  expect(all.map(({ status, error_message }) => [status, error_message])).toEqual(all.map(() => ['completed', '']))
  const results = await Promise.all(all.map(({ id }) => call('GET', `${W}/pipeline-runs/${id}`)))
  const keys = results.map(({ output }) => output.key)
  expect(new Set(keys).size, 'each was run once').toBe(keys.length)
  expect(keys).toHaveLength(rounds * runsOfRound)
  expect(
    [...asked].filter((key) => !keys.includes(key)),
    'what was acknowledged is there',
  ).toEqual([])
  expect(readFileSync(join(shared, 'noted'), 'utf8').trim().split('\n').sort()).toEqual(keys.toSorted())
  for (const { output, step_outputs } of results) {
    expect(output.n).toBe(6)
    expect(step_outputs.script).toBe(output.key)
    expect(step_outputs.each).toEqual([2, 3, 4])
  }
  const issues = (
    await Promise.all([0, 100, 200].map((offset) => call('GET', `/issues?limit=100&offset=${offset}`)))
  ).flat()
  const titles = issues.map(({ title }: { title: string }) => title).sort()
  expect(titles).toEqual(keys.flatMap((key) => [1, 2, 3].map((n) => `${key} ${n}`)).sort())
  const { rows: told } = await call('GET', '/inbox?kind=message&limit=500')
  expect(told.map(({ title }: { title: string }) => title).sort()).toEqual(keys.map((key) => `told ${key}`).sort())
  for (const { id } of all) {
    const { entries } = await call('GET', `/journal?trace_id=${id}&limit=200`)
    const types = entries.map(({ entry_type }: { entry_type: string }) => entry_type)
    const ends = types.filter((type: string) => /^pipeline\.run\.(completed|failed|cancelled)$/.test(type))
    expect(ends, 'one end').toEqual(['pipeline.run.completed'])
    const done = entries.flatMap((entry: { entry_type: string; payload: { step_id: string } }) =>
      entry.entry_type === 'pipeline.step.completed' ? [entry.payload.step_id] : [],
    )
    expect(new Set(done).size, 'no step was completed twice').toBe(done.length)
  }
})

interface Row {
  id: string
  status: string
  ended_at: string
  error_message: string
}
