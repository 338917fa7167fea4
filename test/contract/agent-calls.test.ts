import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract'
import { callerMembers, defaultRate, readsOf, routesOf, toolsOf } from '#contract/agent-calls'
import { agentReads, agentRoutes, agentTools } from '#runtime/sidecar/agent-tools'
import { agentAtWork } from '../support/agent-at-work.ts'
import { is } from '../support/agent-bodies.ts'
import { hostileJson, oddJson } from '../support/hostile-json.ts'

const script = new URL('../../build/agent-tools.mjs', import.meta.url).pathname
const called = endpoints.filter(({ endpoint }) => endpoint.agent)

interface Schema {
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  maxLength?: number
  maxItems?: number
  maxProperties?: number
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: unknown
}

/** Places of a schema that take something of any size. */
function endless(schema: Schema, at: string): string[] {
  if (schema.enum) return []
  if (schema.anyOf) return schema.anyOf.flatMap((choice) => endless(choice, at))
  if (schema.type === undefined) return [at]
  const own = [
    is(schema, 'string') && schema.maxLength === undefined,
    is(schema, 'array') && schema.maxItems === undefined,
    is(schema, 'object') &&
      !schema.properties &&
      (schema.maxProperties === undefined || schema.additionalProperties !== false),
  ].includes(true)
  const free = Object.entries(schema.patternProperties ?? {})
  return [
    ...(own ? [at] : []),
    ...(is(schema, 'array') ? endless(schema.items ?? {}, `${at}[]`) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) => endless(member, `${at}.${name}`)),
    ...free.flatMap(([pattern, member]) => [
      ...(/\{0,\d+\}\$$/.test(pattern) ? [] : [`${at} names`]),
      ...endless(member, `${at}.*`),
    ]),
  ]
}

describe('what the sidecar knows of agents’ calls', () => {
  it('is what `npm run operations` writes', () => {
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(status).toBe(0)
  })

  it('is what the contract says', () => {
    expect(agentRoutes).toEqual(routesOf(endpoints))
    expect(agentReads).toEqual(readsOf(endpoints))
    expect(agentTools).toEqual(toolsOf(endpoints))
    expect(agentReads).toEqual(readsOf(endpoints))
    expect(new Set(agentRoutes).size).toBe(called.length)
    expect(new Set(agentTools.map(({ name }) => name)).size).toBe(agentTools.length)
  })

  it('offers models nothing that the daemon says itself, and what is needed', () => {
    const offered = agentTools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties))
    expect(offered.filter((name) => (callerMembers as readonly string[]).includes(name))).toEqual([])
    expect(agentTools.map(({ name, inputSchema }) => [name, inputSchema.required])).toEqual([
      ['crew_connections', []],
      ['connect_crew', ['to_crew']],
      ['create_agent', ['name', 'slug']],
      ['hire_agent', ['template_slug', 'reason']],
      ['ask_human', ['question']],
      ['assign', ['target', 'task']],
      ['assignment_result', ['assignment_id']],
      ['notification_channels', []],
      ['notify', ['channel_id', 'title']],
      ['escalate', ['reason']],
      ['request_credential', ['intent']],
      ['use_credential', ['intent', 'command']],
      ['memory_read', []],
      ['memory_write', ['path', 'content']],
      ['memory_append_daily', ['content']],
      ['memory_search', ['query']],
      ['conversation_search', ['query']],
      ['create_mission', ['title', 'tasks']],
      ['query', ['target', 'question']],
      ['standup', []],
      ['message_crew', ['to_crew', 'body']],
      ['crew_messages', []],
      ['persona_suggest', ['content']],
      ['expose_port', ['port']],
      ['report_confidence', ['confidence']],
      ['propose_skill', ['slug', 'description', 'content']],
    ])
  })
})

describe.each(called)('$name, which agents may call,', ({ endpoint }) => {
  const { agent, access, path, query, body } = endpoint
  const { properties = {} } = body as Schema
  const { route, tool, says, members = {}, rate = defaultRate } = agent!
  const asked = { confidence: 0.5 }

  it('is internal, and takes everything in its body: there it is scrubbed', () => {
    expect([access, query, path.includes(':'), endpoint.bodyOptional, endpoint.malformed]).toEqual([
      'internal',
      undefined,
      false,
      undefined,
      undefined,
    ])
  })

  it('says to models what it is for, of members that it has', () => {
    expect(Boolean(tool)).toBe(Boolean(says))
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(members)))
  })

  it('takes nothing of any size', () => expect(endless(body as Schema, 'body')).toEqual([]))

  it('answers 400 to what is nested, wide or odd without end, wherever it stands', async () => {
    const it = await agentAtWork()
    const token = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
    const wide = `[${Array(100_000).fill('1').join(',')}]`
    for (const [what, json] of [...hostileJson, ['100,000 members', wide] as const])
      for (const place of [json, ...[...Object.keys(properties), 'surplus'].map((member) => `{"${member}":${json}}`)]) {
        const said = `${what} ${place.slice(0, 40)}`
        expect((await it.ask(route, JSON.parse(place))).status, said).toBe(400)
        expect((await it.call(null, 'POST', path, place, token)).status, `${said} over HTTP`).toBe(400)
      }
  }, 60_000)

  it('takes or refuses what is odd, without a fault', async () => {
    const it = await agentAtWork()
    for (const [what, json] of oddJson)
      for (const member of Object.keys(properties))
        expect(
          (await it.ask(route, { ...asked, [member]: JSON.parse(json) })).status,
          `${what} as ${member}`,
        ).toBeLessThan(500)
  }, 60_000)

  it('has a limit for each agent, by whatever run and call, which the answer tells', async () => {
    const it = await agentAtWork({ config: { rateLimitDisabled: false } })
    const answers = []
    for (let n = 0; n < rate.agent; n++)
      answers.push((await it.ask(route, asked, { runId: n % 2 ? null : `run-${n}` })).status)
    expect(answers).not.toContain(429)
    const refused = await it.ask(route, 'no object')
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'rate_limited', retry_after: Math.ceil(60 / rate.agent) },
    })
    const { retry_after: seconds } = refused.body as { retry_after: number }
    it.clock.advance(seconds * 1000)
    for (let n = 0; n < Math.floor((seconds * rate.agent) / 60); n++)
      expect((await it.ask(route, asked)).status).not.toBe(429)
    expect((await it.ask(route, asked)).status).toBe(429)
  })

  it('has a limit for all agents of a crew, over HTTP as well', async () => {
    const it = await agentAtWork({ config: { rateLimitDisabled: false, apiPerMinute: rate.crew + 100 } })
    const url = path
    const token = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
    for (let n = 0; n < rate.crew; n++)
      expect((await it.call(null, 'POST', url, { agent_id: `a${n}` }, token)).status).not.toBe(429)
    expect((await it.call(null, 'POST', url, { agent_id: 'another' }, token)).body).toMatchObject({
      status: 429,
      code: 'rate_limited',
    })
    expect((await it.ask(route, asked)).status).toBe(429)
    const elsewhere = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, 'other') }
    expect((await it.call(null, 'POST', url, { agent_id: 'a1' }, elsewhere)).status).not.toBe(429)
  })
})

describe('an offered credential', () => {
  it.each(hostileJson)('is refused as the text of %s', async (_, json) => {
    const it = await agentAtWork()
    for (const metadata of [json, `{"name":"x","value":"4711-4711","note":${json}}`])
      expect((await it.ask('/escalate', { reason: 'Keep it', type: 'CREDENTIAL', metadata })).status).toBe(400)
  })
})

describe('an agent that calls without end', () => {
  it('is on record once a minute, with what was refused', async () => {
    const it = await agentAtWork({ config: { rateLimitDisabled: false } })
    const flood = () =>
      Promise.all(Array.from({ length: 300 }, () => it.ask('/report-confidence', { confidence: 0.5 })))
    const noted = () => it.entries().filter(({ entry_type }) => entry_type === 'agent.throttled')
    const statuses = (await flood()).map(({ status }) => status)
    expect(statuses.filter((status) => status === 202)).toHaveLength(12)
    expect(statuses.filter((status) => status === 429)).toHaveLength(288)
    await it.app.idle()
    expect(noted()).toMatchObject([
      {
        severity: 'warn',
        agent_id: it.agentId,
        crew_id: it.crewId,
        actor_type: 'agent',
        payload: { operation: 'runs.reportConfidence', refused: 1 },
      },
    ])
    it.clock.advance(59_000)
    await flood()
    await it.app.idle()
    expect(noted()).toHaveLength(1)
    it.clock.advance(1000)
    await flood()
    await it.app.idle()
    expect(noted().map(({ payload }) => payload?.['refused'])).toEqual([1, 577])
  })
})
