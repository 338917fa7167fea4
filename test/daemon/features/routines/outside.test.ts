import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { chainOf } from '../../../../daemon/features/routines/chains/service.ts'
import { calls, gets } from '../../../support/claude-lines.ts'
import { delegating } from '../../../support/delegating.ts'
import { reachLoopback, routines, type Step, withRoutines } from '../../../support/routines.ts'
import { server as plain } from '../../../support/server.ts'

/** A server on this machine; steps name it as if it spoke TLS. */
async function server(answer: Parameters<typeof plain>[0]) {
  const made = await plain(answer)
  return { ...made, url: made.url.replace('http:', 'https:') }
}

const http = (id: string, url: string, more: object = {}, of: object = {}): Step => ({
  id,
  type: 'http',
  http: { method: 'POST', url, ...more },
  ...of,
})

describe('http steps', () => {
  it('call a server, with a key by which it knows a repetition, and give its answer', async () => {
    const { url, seen } = await server((_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end('{"id": 7}')
    })
    const it = await routines()
    reachLoopback(it)
    await it.save('call', [http('a', `${url}/x?n={{ inputs.n }}`, { body: { n: '{{ inputs.n }}' } })], {
      inputs: [{ name: 'n', type: 'number' }],
    })
    const done = await it.run('call', { inputs: { n: 3 } })
    expect(done).toMatchObject({ status: 'COMPLETED', output: { status: 200, body: { id: 7 } } })
    expect(seen).toMatchObject([
      {
        method: 'POST',
        url: '/x?n=3',
        body: '{"n":3}',
        headers: { 'content-type': 'application/json', 'idempotency-key': `${done.run_id}.a` },
      },
    ])
  })

  it('use secrets that nobody sees, and put their use on record', async () => {
    const secret = 'tok-4711-secret'
    const { url, seen } = await server((request, response) => response.end(`you sent ${request.headers.authorization}`))
    const it = await routines()
    reachLoopback(it)
    const { id } = (await it.call('OWNER', 'POST', '/credentials', { name: 'TOKEN', type: 'SECRET', value: secret }))
      .body
    const more = { credentials_required: [{ type: 'TOKEN' }] }
    const ref = { type: 'TOKEN', inject_as: 'bearer' }
    await it.save('call', [http('a', `${url}/{{ secrets.TOKEN }}`, { credential_ref: ref })], more)
    const done = await it.run('call')
    expect(seen).toMatchObject([{ url: `/${secret}`, headers: { authorization: `Bearer ${secret}` } }])
    expect(JSON.stringify(await it.result(done.run_id))).not.toContain(secret)
    expect(JSON.stringify(it.app.db.prepare('SELECT * FROM routine_steps').all())).not.toContain(secret)
    expect(
      it
        .entries()
        .map((entry) => JSON.stringify(entry))
        .join(),
    ).not.toContain(secret)
    const audit = (await it.call('OWNER', 'GET', `/credentials/${id}/audit`)).body
    expect(JSON.stringify(audit)).toContain('USE')
    await it.call('OWNER', 'DELETE', `/credentials/${id}`)
    expect(await it.run('call')).toMatchObject({
      status: 422,
      code: 'missing_credentials',
      missing_credentials: ['TOKEN'],
    })
  })

  it('send a secret that is kept to its scopes nowhere else, until people allow it', async () => {
    const { url, seen } = await server((_request, response) => response.end())
    const it = await routines()
    reachLoopback(it)
    const made = { name: 'TOKEN', type: 'SECRET', value: 'tok-4711-secret' }
    const { id } = (await it.call('OWNER', 'POST', '/credentials', made)).body
    const more = { credentials_required: [{ type: 'TOKEN' }], inputs: [{ name: 'to', type: 'string' }] }
    const ref = { type: 'TOKEN', inject_as: 'query', query_name: 'key' }
    await it.save('call', [http('a', `${url}/{{ inputs.to }}`, { credential_ref: ref })], more)
    const run = (to: string) => it.run('call', { inputs: { to } })
    expect(await run('items/12')).toMatchObject({ status: 'COMPLETED' })
    const path = `/credentials/${id}/scopes`
    const { body } = await it.call('ADMIN', 'PUT', path)
    expect(body.active).toMatchObject([{ host: new URL(url).host, method: 'POST', path: '/items/{id}' }])
    expect(JSON.stringify(body)).not.toContain('tok-4711')
    expect(await run('items/13')).toMatchObject({ status: 'COMPLETED' })
    for (const trick of ['items/../admin', 'items/%2e%2e/admin', 'items/..%2fadmin', 'admin']) {
      const { run_id } = await run(trick)
      expect(JSON.stringify(await it.result(run_id))).toContain('may not be used for POST')
    }
    expect(seen).toHaveLength(2)
    const { waiting } = (await it.call('ADMIN', 'GET', path)).body
    expect(waiting.map((one: { path: string }) => one.path).sort()).toEqual(['/admin', '/items/..%2Fadmin'])
    const question = waiting.find((one: { path: string }) => one.path === '/admin').id
    await it.call('ADMIN', 'POST', `${path}/questions/${question}`, { decision: 'once' })
    expect(await run('admin')).toMatchObject({ status: 'COMPLETED' })
    expect(await run('admin')).toMatchObject({ status: 'FAILED' })
  })

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['a private address', {}, /127\.0\.0\.1|not allowed|refused/],
    [
      'a host that is none of the egress targets',
      { egress_targets: ['api.example.com'] },
      /none of the egress_targets/,
    ],
  ])('refuse %s', async (_, more, message) => {
    const { url, seen } = await server((_request, response) => response.end())
    const it = await routines()
    await it.save('call', [http('a', url)], more)
    const done = await it.run('call')
    expect(done.status).toBe('FAILED')
    expect(done.error_message).toMatch(message)
    expect(seen).toEqual([])
  })

  it("obey the network policy of the routine's crew", async () => {
    const { url, seen } = await server((_, response) => response.end('ok'))
    const it = await routines()
    reachLoopback(it)
    const crew = (
      await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web', allowed_domains: ['api.example.com'] })
    ).body
    await it.save('call', [http('a', url)], {}, crew.id)
    expect((await it.run('call')).error_message).toMatch(/network policy of the crew does not allow 127\.0\.0\.1/)
    expect(seen).toEqual([])
  })

  it('fail on an answer that is too long, on one that never comes, and on other statuses', async () => {
    const { url } = await server((request, response) => {
      if (request.url === '/long') response.end('x'.repeat(5000))
      else if (request.url === '/bad') response.writeHead(418).end('teapot')
      // Anything else is never answered.
    })
    const it = await routines()
    reachLoopback(it)
    await it.save('long', [http('a', `${url}/long`, { max_response_bytes: 1000 })])
    await it.save('bad', [http('a', `${url}/bad`)])
    await it.save('slow', [http('a', `${url}/slow`, {}, { timeout_seconds: 1 })])
    const said = async (slug: string) => (await it.run(slug)).error_message
    expect(await said('bad')).toMatch(/answered 418: teapot/)
    expect(await said('long')).toBeTruthy()
    expect(await said('slow')).toBeTruthy()
  })

  it('are tried again after an error of the server, with the same key', async () => {
    let calls = 0
    const { url, seen } = await server((_, response) => response.writeHead(++calls < 3 ? 503 : 200).end('done'))
    const it = await routines()
    reachLoopback(it)
    const retry = { max_attempts: 3, backoff: { min_ms: 0, jitter: false } }
    await it.save('call', [http('a', url, {}, { retry })])
    expect(await it.run('call')).toMatchObject({ status: 'COMPLETED', output: { body: 'done' } })
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(seen).toHaveLength(3)
  })

  it('that were cut off by a stop are made again only if they may be', async () => {
    let answer = (): void => {}
    const { url, seen } = await server((_, response) => {
      answer = () => response.end('done')
    })
    const it = await routines()
    reachLoopback(it)
    await it.save('once', [http('a', url)])
    await it.save('twice', [http('a', url, {}, { retry: { max_attempts: 2, backoff: { min_ms: 0, jitter: false } } })])
    const once = await it.run('once', { wait_seconds: 0 })
    await expect.poll(() => seen.length).toBe(1)
    it.restart()
    expect(await it.until(once.run_id, 'failed')).toMatchObject({
      error_message: expect.stringMatching(/whether it took effect is not known/),
    })
    const twice = await it.run('twice', { wait_seconds: 0 })
    await expect.poll(() => seen.length).toBe(2)
    it.restart()
    await expect.poll(() => seen.length).toBe(3)
    answer()
    expect(await it.until(twice.run_id, 'completed')).toMatchObject({ steps: [{ attempt: 2 }] })
  })

  it('are given up with their run', async () => {
    const { url, seen } = await server(() => undefined)
    const it = await routines()
    reachLoopback(it)
    await it.save('call', [http('a', url)])
    const { run_id } = await it.run('call', { wait_seconds: 0 })
    await expect.poll(() => seen.length).toBe(1)
    await it.call('ADMIN', 'POST', `${it.W}/pipelines/runs/${run_id}/cancel`)
    expect(await it.result(run_id)).toMatchObject({ status: 'cancelled', steps: [{ status: 'cancelled' }] })
  })
})

const agent = (id: string, more: object = {}): Step => ({
  id,
  type: 'agent_run',
  agent_slug: 'ada',
  prompt: 'Do {{ inputs.what }}',
  ...more,
})
const inputs = [{ name: 'what', type: 'string', default: 'it' }]

/** A crew at work, and what a routine's agent is told and says. */
async function crewOfRoutines() {
  const it = withRoutines(await delegating({ began: false }))
  let ended = 0
  const working = async () => {
    const find = () =>
      it.app.db.prepare<[], string>("SELECT id FROM runs WHERE source = 'routine' AND ended_at IS NULL").pluck().get()
    await expect.poll(find, { timeout: 10_000 }).toBeTruthy()
    return find()!
  }
  /** Lines of the client of the agent that is at work for a routine. */
  const used = async (lines: object[]) => it.runtime.print(await it.started(await working()), ...lines)
  /** The agent that is at work for a routine says this, and ends. */
  const says = async (words: string) => {
    const run = await working()
    const { spec } = await it.started(run)
    await it.says(run, words)
    ended++
    return JSON.stringify(spec)
  }
  return { ...it, says, used, saysIn: it.says, ended: () => ended }
}

const modelIn = (spec: string) => {
  const { argv } = JSON.parse(spec) as { argv: string[] }
  return argv.find((one) => one.startsWith('--model='))?.slice('--model='.length) ?? null
}

describe('agents in routines', () => {
  it('are told their prompt, and what they say is what the step gives', async () => {
    const it = await crewOfRoutines()
    await it.save(
      'work',
      [agent('a'), { id: 'b', type: 'transform', transform: { input: '{{ steps.a.output.done }}', expression: '.' } }],
      { inputs },
      it.crewId,
    )
    const { run_id } = await it.run('work', { inputs: { what: 'the dishes' }, wait_seconds: 0 })
    await it.says('```json\n{"done": ["plates"]}\n```')
    const shown = await it.until(run_id, 'completed')
    expect(shown).toMatchObject({ output: ['plates'], steps: [{ agent_run_id: expect.any(String) }, {}] })
    const run = (await it.call('VIEWER', 'GET', `/runs/${shown.steps[0].agent_run_id}`)).body
    expect(run).toMatchObject({ trigger_type: 'ROUTINE', status: 'COMPLETED' })
  })

  it('begin nothing more once the run has cost what it may', async () => {
    const it = await crewOfRoutines()
    // The client of the agent says that it has cost 25 cents.
    const steps = [agent('a'), agent('b')]
    await it.save('dear', steps, { inputs, max_cost_usd: 0.25 }, it.crewId)
    const { run_id } = await it.run('dear', { wait_seconds: 0 })
    await it.says('done')
    const done = await it.until(run_id, 'failed', 'completed')
    expect(done).toMatchObject({ status: 'failed', cost_usd: 0.25, steps: [{ key: 'a', status: 'completed' }] })
    expect(done.error_message).toBe('It has cost $0.25, and may cost $0.25')
  })

  it('show what they did within their step', async () => {
    const it = await crewOfRoutines()
    await it.save('work', [agent('a')], { inputs }, it.crewId)
    const { run_id } = await it.run('work', { wait_seconds: 0 })
    await it.used([calls('t1', 'Bash', { command: 'make test' }), gets('t1', 'no', true)])
    await it.says('done')
    const { sub_spans } = await it.until(run_id, 'completed')
    expect(sub_spans).toMatchObject({
      a: [{ seq: 0, kind: 'bash', name: 'Bash', detail: 'make test', status: 'error', duration_ms: 0 }],
    })
    expect(Date.parse(sub_spans.a[0].started_at)).toBeGreaterThan(0)
  })

  it('show what the tools of one step took and gave, if that is asked for, up to a limit', async () => {
    const it = await crewOfRoutines()
    await it.save('work', [agent('a')], { inputs }, it.crewId)
    const { run_id } = await it.run('work', { wait_seconds: 0 })
    const long = 'x'.repeat(20_000)
    await it.used([calls('t1', 'Bash', { command: 'make test' }), gets('t1', 'all passed')])
    await it.used([calls('t2', 'Write', { content: long }), gets('t2', long)])
    await it.says('done')
    await it.until(run_id, 'completed')
    const spans = async (query: string) =>
      (await it.call('VIEWER', 'GET', `${it.W}/pipeline-runs/${run_id}${query}`)).body.sub_spans.a
    for (const query of ['', '?io_step=', '?io_step=b'])
      for (const name of ['input', 'output', 'input_truncated', 'output_truncated'])
        expect((await spans(query))[0], query).not.toHaveProperty(name)
    const [short, cut] = await spans('?io_step=a')
    expect(short).toMatchObject({
      input: '{"command":"make test"}',
      output: 'all passed',
      input_truncated: false,
      output_truncated: false,
    })
    expect(cut).toMatchObject({ output: 'x'.repeat(16_384), input_truncated: true, output_truncated: true })
    expect(cut.input).toHaveLength(16_384)
    const tooLong = await it.call('VIEWER', 'GET', `${it.W}/pipeline-runs/${run_id}?io_step=${'a'.repeat(201)}`)
    expect(tooLong).toMatchObject({ status: 400, body: { field: 'io_step' } })
  })

  it('of another crew, and those that are not there, fail the step', async () => {
    const it = await crewOfRoutines()
    await it.save('work', [agent('a', { agent_slug: 'nobody' })], { inputs }, it.crewId)
    expect((await it.run('work')).error_message).toBe('There is no agent "nobody" in the crew of the routine')
  })

  it.each<[string, object, object, string | null]>([
    ['their own', {}, {}, null],
    ['the one that the step names', { model_override: 'claude-opus-4-7' }, {}, 'claude-opus-4-7'],
    ['the one of their client', { model_override: 'claude_code:opus' }, {}, 'opus'],
    ['one of the grade that the step asks for', { complexity: 'fast' }, {}, 'claude-haiku-4-5'],
    ['one of the grade that the run asks for', { complexity: 'fast' }, { tier_override: 'smart' }, 'claude-opus-5'],
  ])('work with %s, their judges with their own', async (_, more, body, model) => {
    const it = await crewOfRoutines()
    const outcomes = { criteria: [{ name: 'short', rule: 'One word' }], grader_agent_slug: 'bob' }
    await it.save('work', [agent('a', { outcomes, ...more })], { inputs }, it.crewId)
    const { run_id } = await it.run('work', { wait_seconds: 0, ...body })
    expect(modelIn(await it.says('Done'))).toBe(model)
    expect(modelIn(await it.says('{"passed": true, "feedback": ""}'))).toBeNull()
    await it.until(run_id, 'completed')
    const started = it.entries().filter(({ entry_type }) => entry_type === 'run.started')
    expect(started.map(({ payload }) => (payload as never)['metadata']['model'] ?? null)).toEqual([model, null])
  })

  it('take a better grade of model at each attempt, if that is asked for', async () => {
    const it = await crewOfRoutines()
    const more = { complexity: 'fast', on_fail: 'escalate_tier', validation: { must_contain: ['good'] } }
    await it.save('work', [agent('a', more)], { inputs }, it.crewId)
    const { run_id } = await it.run('work', { wait_seconds: 0 })
    const models: unknown[] = []
    for (const words of ['bad', 'bad', 'good']) {
      models.push(modelIn(await it.says(words)))
      if (words === 'good') break
      await expect.poll(async () => (await it.result(run_id)).steps[0].status).toBe('retrying')
      it.pass(60_000)
    }
    expect(await it.until(run_id, 'completed')).toMatchObject({ output: 'good', steps: [{ attempt: 3 }] })
    expect(models).toEqual(['claude-haiku-4-5', 'claude-sonnet-5', 'claude-opus-5'])
  })

  it('keep their own model where there are no grades, and the run says so', async () => {
    const it = await crewOfRoutines()
    const { id } = (await it.call('OWNER', 'GET', '/agents')).body.find(({ slug }: { slug: string }) => slug === 'ada')
    await it.call('OWNER', 'PATCH', `/agents/${id}`, {
      cli_adapter: 'CODEX_CLI',
      llm_model: 'gpt-5',
      tool_profile: 'CODING',
    })
    await it.save('work', [agent('a', { complexity: 'smart', timeout_seconds: 60 })], { inputs }, it.crewId)
    const { run_id } = await it.run('work', { wait_seconds: 0 })
    await expect
      .poll(async () => (await it.result(run_id)).warnings)
      .toEqual(['a: ada used its own model: Muster knows no grades of models of OPENAI'])
    await it.call('ADMIN', 'POST', `${it.W}/pipelines/runs/${run_id}/cancel`)
  })

  it('are not asked with a model of another client', async () => {
    const it = await crewOfRoutines()
    await it.save('work', [agent('a', { model_override: 'CODEX_CLI:gpt-5' })], { inputs }, it.crewId)
    expect((await it.run('work')).error_message).toBe(
      'ada works with CLAUDE_CODE, and model_override names a model of CODEX_CLI',
    )
  })

  it('are judged by another agent, and do it again until it passes', async () => {
    const it = await crewOfRoutines()
    const outcomes = { criteria: [{ name: 'short', rule: 'One word' }], grader_agent_slug: 'bob', max_iterations: 2 }
    await it.save('work', [agent('a', { outcomes })], { inputs }, it.crewId)
    const { run_id } = await it.run('work', { wait_seconds: 0 })
    await it.says('many words')
    await it.says('{"passed": false, "feedback": "too long"}')
    await it.says('word')
    await it.says('{"passed": true, "feedback": ""}')
    expect(await it.until(run_id, 'completed')).toMatchObject({ output: 'word' })
  })

  it('fail the step when they do not pass, or are judged without a verdict', async () => {
    const it = await crewOfRoutines()
    const outcomes = { criteria: [{ name: 'short', rule: 'One word' }], grader_agent_slug: 'bob' }
    await it.save('work', [agent('a', { outcomes })], { inputs }, it.crewId)
    const { run_id } = await it.run('work', { wait_seconds: 0 })
    await it.says('many words')
    await it.says('looks fine to me')
    expect(await it.until(run_id, 'failed')).toMatchObject({
      error_message: 'The result did not pass: The judge gave no verdict',
    })
  })

  it('are ended with the run, and by their time', async () => {
    const it = await crewOfRoutines()
    await it.save('work', [agent('a', { timeout_seconds: 60 })], { inputs }, it.crewId)
    const { run_id } = await it.run('work', { wait_seconds: 0 })
    await expect.poll(async () => (await it.result(run_id)).steps[0]?.agent_run_id).toBeTruthy()
    it.pass(60_000)
    expect(await it.until(run_id, 'failed')).toMatchObject({ error_message: 'The agent was not done after 60 seconds' })
  })

  it('go on with their step after a restart', async () => {
    const it = await crewOfRoutines()
    await it.save('work', [agent('a')], { inputs }, it.crewId)
    const { run_id } = await it.run('work', { wait_seconds: 0 })
    await expect.poll(async () => (await it.result(run_id)).steps[0]?.agent_run_id).toBeTruthy()
    it.stop()
    await it.says('done meanwhile')
    it.restart()
    expect(await it.until(run_id, 'completed')).toMatchObject({ output: 'done meanwhile' })
  })
})

describe('platform steps', () => {
  const platform = (action: string, args: object): Step => ({ id: 'a', type: 'platform', action, args })

  it('give work to agents, in the name of another one, and stand in the tree with it', async () => {
    const it = await crewOfRoutines()
    const args = { agent_slug: 'bob', from_slug: 'ada', task: 'Count {{ inputs.what }}' }
    await it.save('give', [platform('assignment.create', args)], { inputs }, it.crewId)
    const done = await it.run('give', { inputs: { what: 'the files' } })
    expect(done).toMatchObject({ status: 'COMPLETED', output: { agent_slug: 'bob', status: 'RUNNING' } })
    const { assignment_id } = done.output
    const { run_id } = await it.shown(assignment_id)
    await it.saysIn(run_id, 'Seven')
    expect(await it.shown(assignment_id)).toMatchObject({
      status: 'COMPLETED',
      assigned_by_slug: 'ada',
      assigned_to_slug: 'bob',
      task: 'Count the files',
      result_summary: 'Seven',
    })
    const tree = (await it.call('VIEWER', 'GET', `${it.W}/pipeline-runs/${done.run_id}/tree`)).body
    expect(tree.nodes).toMatchObject([
      { kind: 'step', name: 'a' },
      { kind: 'assignment', name: 'bob', parent_id: `${done.run_id}.a`, run_id, status: 'completed' },
    ])
    expect(chainOf(it.app, it.workspace, [run_id])).toEqual({ depth: 1, origin: done.run_id })
    const created = it.entries().filter(({ entry_type }) => entry_type === 'assignment.created')
    expect(created).toMatchObject([{ actor_type: 'orchestrator', trace_id: done.run_id }])
  })

  it.each<[string, object, RegExp]>([
    ['nobody who gives it', { agent_slug: 'bob', task: 'x' }, /has no LEAD: name an agent with args.from_slug/],
    ['nobody whom it is given to', { agent_slug: 'eve', from_slug: 'ada', task: 'x' }, /no agent "eve" in the crew/],
    ['nothing to do', { agent_slug: 'bob', from_slug: 'ada', task: ' ' }, /Say what is to be done/],
    ['no task', { agent_slug: 'bob', from_slug: 'ada' }, /task/],
  ])('give no work with %s', async (_, args, message) => {
    const it = await crewOfRoutines()
    await it.save('give', [platform('assignment.create', args)], {}, it.crewId)
    expect((await it.run('give')).error_message).toMatch(message)
  })

  it('give no more work in one run than agents may', async () => {
    const it = await crewOfRoutines()
    const give = platform('assignment.create', { agent_slug: 'bob', from_slug: 'ada', task: 'x' })
    const items = Array.from({ length: it.app.config.maxAssignmentFanOut + 1 }, (_, n) => n)
    await it.save('give', [{ id: 'each', type: 'foreach', foreach: { items, steps: [give] } }], {}, it.crewId)
    expect((await it.run('give')).error_message).toMatch(/may give work \d+ times/)
  })

  it('put a question before people, which nobody waits for', async () => {
    const it = await crewOfRoutines()
    const args = { reason: 'The disk of {{ inputs.what }} is full', context: 'Since noon', from_slug: 'ada' }
    await it.save('tell', [platform('escalation.create', args)], { inputs }, it.crewId)
    const done = await it.run('tell', { inputs: { what: 'db1' } })
    expect(done).toMatchObject({ status: 'COMPLETED', output: { status: 'PENDING' } })
    const [shown] = (await it.call('VIEWER', 'GET', `/crews/${it.crewId}/escalations`)).body
    expect(shown).toMatchObject({ id: done.output.escalation_id, from_slug: 'ada', reason: 'The disk of db1 is full' })
    const cards = (await it.call('MANAGER', 'GET', '/inbox')).body.rows
    expect(cards).toMatchObject([{ kind: 'escalation', title: expect.stringContaining('The disk of db1 is full') }])
    expect(it.entries().filter(({ entry_type }) => entry_type === 'peer.escalation')).toMatchObject([
      { payload: { state: 'pending', agent_still_waiting: false } },
    ])
  })
})

const template = (name: string) =>
  parse(readFileSync(new URL(`../../../../templates/routines/${name}.yaml`, import.meta.url), 'utf8'))

describe('a routine that comes with Muster', () => {
  it('nightly-update: an agent updates, a person approves, the agent merges, people hear of it', async () => {
    const it = await crewOfRoutines()
    const { steps, ...more } = template('nightly-update')
    await it.save('nightly-update', steps, more, it.crewId)
    const { run_id } = await it.run('nightly-update', { wait_seconds: 0 })
    await it.says('{"branch": "update", "changed": ["a 1 -> 2"], "tests_passed": true, "summary": "One update"}')
    await it.until(run_id, 'waiting')
    const [card] = (await it.call('MANAGER', 'GET', `${it.W}/pipelines/waitpoints`)).body
    expect(card.prompt).toContain('branch update')
    await it.call('MANAGER', 'POST', `${it.W}/pipelines/waitpoints/${card.token}/approve`, { approved: true })
    await it.says('merged')
    await it.until(run_id, 'completed')
    const { nodes } = (await it.call('VIEWER', 'GET', `${it.W}/pipeline-runs/${run_id}/tree`)).body
    const drawn = nodes.map(({ kind, name, status }: Record<string, string>) => `${kind} ${name} ${status}`)
    expect(drawn).toEqual([
      'step update completed',
      'agent_run ada completed',
      'step approval completed',
      'step keep completed',
      'agent_run ada completed',
      'step tell completed',
    ])
    const logs = (await it.call('VIEWER', 'GET', `${it.W}/pipeline-runs/${run_id}/logs`)).body
    const times = logs.map(({ ts }: { ts: string }) => ts)
    expect(times).toEqual([...times].sort())
    const story = [
      'The routine nightly-update began (manual)',
      "Agent ada's run was completed",
      'The step "approval" of the routine nightly-update was completed',
      'Agent ada answered: "merged"',
      "Agent ada's run was completed",
      'The routine nightly-update was completed',
    ]
    const messages = logs.map(({ message }: { message: string }) => message)
    expect(messages.filter((message: string) => story.includes(message))).toEqual(story)
    const parents = nodes.map(({ parent_id }: { parent_id: string | null }) => parent_id)
    expect(parents).toEqual([null, `${run_id}.update`, null, null, `${run_id}.keep`, null])
    const titles = (await it.call('MANAGER', 'GET', '/inbox')).body.rows.map(({ title }: { title: string }) => title)
    expect(titles).toContain('Dependencies: One update')
  })

  it('issue-triage: an agent gives new issues a priority', async () => {
    const it = await crewOfRoutines()
    const issue = (await it.call('OWNER', 'POST', `/crews/${it.crewId}/issues`, { title: 'It crashes' })).body
    const { steps, ...more } = template('issue-triage')
    await it.save('issue-triage', steps, more, it.crewId)
    const { run_id } = await it.run('issue-triage', { wait_seconds: 0 })
    await it.says(
      JSON.stringify([
        { identifier: issue.identifier, priority: 'high' },
        { identifier: 'NO-1', priority: 'low' },
      ]),
    )
    await it.until(run_id, 'completed')
    expect((await it.call('VIEWER', 'GET', `/issues/${issue.identifier}`)).body.priority).toBe('high')
  })

  it('issue-triage: nothing to do', async () => {
    const it = await crewOfRoutines()
    const { steps, ...more } = template('issue-triage')
    await it.save('issue-triage', steps, more, it.crewId)
    expect(await it.run('issue-triage')).toMatchObject({ status: 'COMPLETED' })
  })

  it('cost-report: ADMINs hear what agents cost', async () => {
    const it = await routines()
    const { steps, ...more } = template('cost-report')
    await it.save('cost-report', steps, more)
    expect(await it.run('cost-report')).toMatchObject({ status: 'COMPLETED' })
    const { rows } = (await it.call('ADMIN', 'GET', '/inbox')).body
    expect(rows).toMatchObject([{ title: 'Agents cost $0 last week', body_md: 'No agent worked.' }])
  })
})
