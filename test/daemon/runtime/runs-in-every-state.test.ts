import { describe, expect, it } from 'vitest'
import { type AskPlace, asked, askPlace } from '../../support/asks.ts'
import { result, says } from '../../support/claude-lines.ts'
import { failOn } from '../../support/reactions.ts'
import { attachRuns } from '../../support/runs.ts'

const one = { config: { maxConcurrentRuns: 1 } }

/** Brings a run of the agent ada into a state; its chat and id. */
const states: Record<string, () => Promise<{ it: AskPlace; chat: string; id: string }>> = {
  async 'in line'() {
    const it = await askPlace(one)
    await it.send(await it.openChat(await it.mate('bob')), 'Work')
    await it.runtime.program()
    return begun(it)
  },
  async 'while its crew comes up'() {
    const it = await askPlace()
    it.app.runtime.start = () => new Promise(() => undefined)
    return begun(it)
  },
  async 'at work'() {
    const it = await askPlace()
    const run = await begun(it)
    await it.runtime.program()
    return run
  },
  async 'while it waits for a person'() {
    const it = await askPlace()
    const { chat, run_id } = await asked(it)
    return { it, chat, id: run_id }
  },
  async 'while its program is being ended'() {
    const it = await askPlace()
    it.runtime.obedient = false
    const run = await begun(it)
    await it.runtime.program()
    expect((await it.call('MANAGER', 'POST', `/runs/${run.id}/cancel`)).status).toBe(202)
    await it.runtime.asked(1)
    return run
  },
}

async function begun(it: AskPlace) {
  const chat = await it.openChat()
  const { run_id: id } = await it.send(chat, 'Work')
  return { it, chat, id }
}

/** What may end a run. */
const ways: Record<string, (it: AskPlace, id: string) => Promise<unknown>> = {
  'two people at once': (it, id) =>
    Promise.all([it.call('OWNER', 'POST', `/runs/${id}/cancel`), it.call('ADMIN', 'POST', `/runs/${id}/cancel`)]),
  'a person, twice': async (it, id) => {
    await it.call('OWNER', 'POST', `/runs/${id}/cancel`)
    await it.call('OWNER', 'POST', `/runs/${id}/cancel`)
  },
  'a person just before the daemon is killed': async (it, id) => {
    await it.call('OWNER', 'POST', `/runs/${id}/cancel`)
    await restart(it)
  },
  'a person after the daemon was killed': async (it, id) => {
    await restart(it)
    await it.call('OWNER', 'POST', `/runs/${id}/cancel`)
  },
  'the deletion of its agent': (it) => it.call('OWNER', 'DELETE', `/agents/${it.agentId}`),
  'the deletion of its crew': (it) => it.call('OWNER', 'DELETE', `/crews/${it.crewId}`),
  'the deletion of its crew while the daemon is away': async (it) => {
    await it.runs.close()
    expect((await it.call('OWNER', 'DELETE', `/crews/${it.crewId}`)).status).toBe(200)
    await restart(it)
  },
}

/** A daemon that ends without a word, and another. */
async function restart(it: AskPlace): Promise<void> {
  await it.runs.close()
  it.runs = attachRuns(it, it.runtime)
  await it.runs.recover()
}

const terminals = (it: AskPlace, id: string) =>
  it
    .entries()
    .filter(
      ({ trace_id, entry_type }) => trace_id === id && /^run\.(completed|failed|cancelled|timeout)$/.test(entry_type),
    )
    .map(({ entry_type }) => entry_type)

const cases = Object.keys(states).flatMap((state) => Object.keys(ways).map((way) => [state, way] as const))

describe('a run', () => {
  it.each(cases)('%s is ended once by %s', async (state, way) => {
    const { it, id } = await states[state]!()
    await ways[way]!(it, id)
    await it.app.idle()
    for (const program of it.runtime.programs.values())
      if (program.spec.runId.startsWith(id)) it.runtime.finish(program)
    await it.runs.ended(id)
    expect(terminals(it, id)).toEqual(['run.cancelled'])
    expect((await it.call('OWNER', 'GET', `/runs/${id}`)).body).toMatchObject({ id, status: 'CANCELLED' })
    expect(it.app.db.prepare('SELECT phase FROM runs WHERE id = ?').pluck().get(id)).toBe('ended')
    const open = (await it.call('OWNER', 'GET', '/inbox?state=active&kind=run_needs_human')).body
    expect(open.rows).toEqual([])
    await restart(it)
    expect(terminals(it, id)).toEqual(['run.cancelled'])
  })

  it.each(Object.keys(states))('%s keeps its chat: that cannot be deleted', async (state) => {
    const { it, chat, id } = await states[state]!()
    const path = `/agents/${it.agentId}/chats/${chat}`
    expect((await it.call('OWNER', 'DELETE', path)).body).toMatchObject({ status: 409, code: 'chat_busy', run_id: id })
    expect(terminals(it, id)).toEqual([])
    expect((await it.call('OWNER', 'GET', `/chats/${chat}/messages`)).body.messages).not.toEqual([])
  })

  it('whose end a reaction refuses keeps its place in the record, and ends with a daemon that can end it', async () => {
    const it = await askPlace({ quiet: true })
    const { id } = await begun(it)
    const program = await it.runtime.program()
    const { wires } = it.app.reactor
    failOn(it.app, 'run.completed')
    failOn(it.app, 'run.failed')
    it.runtime.print(program, says('Done'), result())
    it.runtime.finish(program)
    await it.runs.ended(id)
    expect(terminals(it, id)).toEqual([])
    expect((await it.call('OWNER', 'GET', `/runs/${id}`)).body.status).toBe('RUNNING')
    it.app.reactor.connect(wires)
    await restart(it)
    await it.runs.ended(id)
    expect(terminals(it, id)).toEqual(['run.completed'])
  })
})
