import { describe, expect, it } from 'vitest'
import { want } from '../../../daemon/features/crews/containers/service.ts'
import { asked, askPlace } from '../../support/asks.ts'
import type { FakeRuntime } from '../../support/fake-runtime.ts'
import { beginMadeUp } from '../../support/made-up-source.ts'
import { type Workplace, workplace } from '../../support/runs.ts'

type Place = Workplace<FakeRuntime>

const ends = (it: Place) =>
  it
    .entries()
    .filter(({ entry_type }) => /^run\.(completed|failed|cancelled|timeout)$/.test(entry_type))
    .map(({ trace_id, entry_type }) => [trace_id, entry_type])

describe('runs end with what they belong to', () => {
  it.each([
    ['their agent', (it: Place) => `/agents/${it.agentId}`],
    ['their crew', (it: Place) => `/crews/${it.crewId}`],
  ])('%s: those at work, and no other', async (_, path) => {
    const it = await workplace()
    const { run_id } = await it.send(await it.openChat(), 'Work')
    const made = await beginMadeUp(it, it.agentId)
    const other = (await it.call('OWNER', 'POST', '/crews', { name: 'Frontend', slug: 'frontend' })).body.id
    const stranger = (await it.call('OWNER', 'POST', '/agents', { name: 'Eve', slug: 'eve', crew_id: other })).body.id
    const left = await beginMadeUp(it, stranger)
    await it.runtime.program(2)
    expect((await it.call('OWNER', 'DELETE', path(it))).status).toBe(200)
    await Promise.all([run_id, made].map((id) => it.runs.ended(id)))
    expect(ends(it).sort()).toEqual(
      [
        [made, 'run.cancelled'],
        [run_id, 'run.cancelled'],
      ].sort(),
    )
    expect(it.runtime.ended.toSorted()).toEqual([made, run_id].toSorted())
    expect((await it.call('OWNER', 'GET', `/runs/${left}`)).body.status).toBe('RUNNING')
  })

  it('their crew, when the agent has left it meanwhile', async () => {
    const it = await workplace()
    const made = await beginMadeUp(it, it.agentId)
    await it.runtime.program()
    const other = (await it.call('OWNER', 'POST', '/crews', { name: 'Frontend', slug: 'frontend' })).body.id
    expect((await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { crew_id: other })).status).toBe(200)
    expect((await it.call('OWNER', 'DELETE', `/crews/${it.crewId}`)).status).toBe(200)
    await it.runs.ended(made)
    expect(ends(it)).toEqual([[made, 'run.cancelled']])
  })

  it('in one change with the deletion: a change that is refused ends nothing', async () => {
    const it = await askPlace({ quiet: true })
    const { run_id } = await asked(it)
    it.app.reactor.connect([
      ...it.app.reactor.wires,
      {
        fact: 'crew.deleted',
        phase: 'on',
        feature: 'test',
        writes: [],
        run: () => {
          throw new Error('Not today')
        },
      },
    ])
    expect((await it.call('OWNER', 'DELETE', `/crews/${it.crewId}`)).status).toBe(500)
    expect(ends(it)).toEqual([])
    expect((await it.call('OWNER', 'GET', `/runs/${run_id}`)).body).toMatchObject({ status: 'RUNNING' })
  })

  it('what waits for a person outlives the idle stop of its crew, but not a stop by a person', async () => {
    const it = await askPlace()
    const stop = async () => ({ state: 'stopped', notices: [], containerId: null })
    Object.assign(it.app.runtime, { stop })
    const { run_id } = await asked(it)
    await it.app.write(() => want(it.app, it.crewId, 'stopped', null))
    expect(ends(it)).toEqual([])
    // The crew is stopped already.
    expect((await it.call('OWNER', 'POST', `/crews/${it.crewId}/container-stop`)).status).toBe(200)
    expect(ends(it)).toEqual([[run_id, 'run.cancelled']])
    const written = it.entries().length
    expect((await it.call('OWNER', 'POST', `/crews/${it.crewId}/container-stop`)).status).toBe(200)
    expect(it.entries()).toHaveLength(written)
  })
})

describe('what the journal says of runs', () => {
  it('tells who asked what, what was answered, and how it came out', async () => {
    const it = await askPlace()
    const owner = it.person('OWNER').email
    const { run_id, item } = await asked(it, { question: 'Postgres or SQLite?' })
    await it.call('OWNER', 'POST', `/inbox/${item}/act`, { action: 'answer', input: 'SQLite\nplease' })
    const program = await it.runtime.program(1)
    it.runtime.finish(program, { kind: 'exit', code: 3, timedOut: false })
    await it.runs.ended(run_id)
    const said = it.entries().filter(({ trace_id, entry_type }) => trace_id === run_id && !/^audit/.test(entry_type))
    const session = "Agent ada's client began a session with scripted-1"
    expect(said.filter(({ summary }) => summary === session)).toHaveLength(1)
    // The client may say so before or after its question.
    expect(said.map(({ summary }) => summary).filter((summary) => summary !== session)).toEqual([
      'The OWNER asked Agent ada: "Work"',
      'Agent ada started a run',
      "Agent ada's client was started",
      'Agent ada waits for an answer to: "Postgres or SQLite?"',
      "Agent ada's client ended",
      'Agent ada answered: "I look.…"',
      'The OWNER asked Agent ada: "SQLite…"',
      `Agent ada goes on with the answer of ${owner}`,
      "Agent ada's client was started",
      "Agent ada's client ended with exit code 3",
      'Agent ada\'s run failed: "The client ended with code 3"',
    ])
  })

  it('calls chats by their titles', async () => {
    const it = await workplace()
    const chat = await it.openChat()
    const { email } = it.person('OWNER')
    await it.call('OWNER', 'PATCH', `/agents/${it.agentId}/chats/${chat}`, { title: 'Release notes' })
    await it.call('OWNER', 'DELETE', `/agents/${it.agentId}/chats/${chat}`)
    const said = it.entries().filter(({ refs }) => refs?.['entity_id'] === chat)
    expect(said.map(({ summary }) => summary)).toEqual([
      `A chat with Agent ada was opened by ${email}`,
      `Chat "Release notes" with Agent ada was renamed by ${email}`,
      `Chat "Release notes" with Agent ada was deleted by ${email}`,
    ])
  })
})
