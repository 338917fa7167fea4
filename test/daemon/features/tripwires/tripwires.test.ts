import { describe, expect, it } from 'vitest'
import { decoysOf } from '../../../../daemon/features/tripwires/service.ts'
import { scrubCalls } from '../../../../daemon/runtime/runs/secrets.ts'
import { createTripwires } from '../../../../daemon/runtime/tripwires/tripwires.ts'
import { calls, gets, init, result, says } from '../../../support/claude-lines.ts'
import { workplace } from '../../../support/runs.ts'

async function scene() {
  const it = await workplace()
  scrubCalls(it.app)
  it.app.tripwires = createTripwires({ app: it.app, stop: (id, reason) => it.runs.fail(id, reason) })
  const path = `/crews/${it.crewId}/tripwires`
  const plant = async (kind: string, name: string, more = {}) => {
    const { status, body, text } = await it.call('MANAGER', 'POST', path, { kind, name, ...more })
    expect(status, text).toBe(201)
    return body as { id: string; shape: string }
  }
  const value = (id: string) => decoysOf(it.app, it.crewId).find((decoy) => decoy.id === id)!.value
  const begin = async (n = 0) => {
    const { run_id } = await it.send(await it.openChat(), 'Please begin.')
    const program = await it.runtime.program(n)
    it.runtime.print(program, init)
    return { run_id, program }
  }
  const run = async (id: string) => (await it.call('OWNER', 'GET', `/runs/${id}`)).body
  const cards = async (state = 'unread') =>
    (await it.call('MANAGER', 'GET', `/inbox?kind=escalation&state=${state}`)).body.rows as Record<string, unknown>[]
  return { ...it, path, plant, value, begin, run, cards }
}

describe('tripwires', () => {
  it('are planted with a value of their own, which nobody is shown', async () => {
    const it = await scene()
    const made = await it.plant('credential', 'STRIPE_SECRET_KEY')
    expect(made).toMatchObject({ kind: 'credential', shape: 'stripe', state: 'armed', open_trips: 0 })
    expect(it.value(made.id)).toMatch(/^sk_live_[A-Za-z0-9]{48}$/)
    const { body, text } = await it.call('MANAGER', 'GET', it.path)
    expect(body).toEqual([made])
    const stored = JSON.stringify(it.app.db.prepare('SELECT * FROM tripwires').all())
    for (const told of [text, stored, JSON.stringify(it.entries())]) expect(told).not.toContain(it.value(made.id))
    expect(it.entries().find(({ entry_type }) => entry_type === 'tripwire.planted')?.payload).toEqual({
      tripwire_id: made.id,
      kind: 'credential',
    })
  })

  it.each([
    ['aws/credentials', '.aws/credentials', 'aws'],
    ['a key', '.ssh/id_ed25519', 'ssh'],
    ['others', '.env.production', 'stripe'],
  ])('of a file look like it: %s', async (_, name, shape) => {
    const it = await scene()
    expect((await it.plant('file', name)).shape).toBe(shape)
    const [decoy] = decoysOf(it.app, it.crewId)
    expect(decoy!.file!.content).toContain(decoy!.value)
  })

  it.each([
    ['credential', 'lower'],
    ['credential', 'SVC_AGENT_TOKEN'],
    ['file', '../outside'],
    ['file', '/etc/passwd'],
    ['file', 'a/b/c/d/e'],
  ])('take no %s of the name %s', async (kind, name) => {
    const it = await scene()
    expect((await it.call('MANAGER', 'POST', it.path, { kind, name })).body).toMatchObject({
      code: 'invalid_field',
      field: 'name',
    })
  })

  it('have names of their own in a crew, and are twenty at most', async () => {
    const it = await scene()
    await it.plant('file', '.env')
    const again = { kind: 'file', name: '.env' }
    expect((await it.call('MANAGER', 'POST', it.path, again)).body).toMatchObject({ code: 'name_taken' })
    for (let n = 1; n < 20; n++) await it.plant('file', `.env.${n}`)
    expect((await it.call('MANAGER', 'POST', it.path, { ...again, name: '.more' })).body).toMatchObject({
      code: 'tripwires_full',
    })
  })

  it('are given to agents like secrets, and touch no run that leaves them alone', async () => {
    const it = await scene()
    const { id } = await it.plant('credential', 'STRIPE_SECRET_KEY')
    const { run_id, program } = await it.begin()
    const files = Object.fromEntries(program.spec.files.map(({ path, content }) => [path, String(content)]))
    const secrets = it.runtime.places(it.crewId, program.spec.agent).secrets
    expect(files[`${secrets}/STRIPE_SECRET_KEY`]).toBe(it.value(id))
    expect(files[`${secrets}/.env`]).toContain(it.value(id))
    it.runtime.print(program, calls('c1', 'Bash', { command: 'ls' }), gets('c1', 'a.txt'), says('Done.'), result())
    it.runtime.finish(program)
    await it.runs.ended(run_id)
    expect(await it.run(run_id)).toMatchObject({ status: 'COMPLETED' })
    expect(await it.cards()).toEqual([])
  })

  it('stop a run that prints one, keep the evidence and hold its agent until people decide', async () => {
    const it = await scene()
    const { id } = await it.plant('credential', 'STRIPE_SECRET_KEY')
    const before = it.value(id)
    const { run_id, program } = await it.begin()
    it.runtime.print(program, calls('c1', 'Bash', { command: 'env' }), gets('c1', `STRIPE_SECRET_KEY=${before}`))
    await it.runs.ended(run_id)
    expect(await it.run(run_id)).toMatchObject({ status: 'FAILED' })
    expect(it.runtime.ended).toContain(run_id)
    const tripped = it.entries().find(({ entry_type }) => entry_type === 'tripwire.tripped')
    expect(tripped).toMatchObject({
      severity: 'error',
      trace_id: run_id,
      agent_id: it.agentId,
      payload: { tripwire_id: id, name: 'STRIPE_SECRET_KEY', place: 'output' },
    })
    expect(JSON.stringify(it.entries())).not.toContain(before)
    expect(await it.cards()).toMatchObject([{ blocking: true, priority: 'urgent' }])
    const shown = (await it.call('MANAGER', 'GET', `${it.path}/${id}`)).body
    expect(shown).toMatchObject({ state: 'tripped', open_trips: 1, trips: [{ run_id, agent_id: it.agentId }] })
    expect(shown.trips[0].events.map(({ entry_type }: { entry_type: string }) => entry_type)).toContain('run.started')
    const chat = await it.openChat()
    const say = () => it.call('OWNER', 'POST', `/chats/${chat}/messages`, { content: 'Go on.' })
    expect(await say()).toMatchObject({ status: 409, body: { code: 'agent_pending_review', reason: 'tripwire' } })

    const { body } = await it.call('MANAGER', 'POST', `${it.path}/${id}/rearm`, { false_alarm: true, reason: 'a test' })
    expect(body).toMatchObject({ state: 'armed', open_trips: 0 })
    expect(it.value(id)).not.toBe(before)
    expect(await it.cards('resolved')).toHaveLength(1)
    expect(it.entries().find(({ entry_type }) => entry_type === 'tripwire.rearmed')?.payload).toMatchObject({
      trips: 1,
      false_alarm: true,
      reason: 'a test',
    })
    expect((await say()).status).toBe(202)
    expect((await it.call('MANAGER', 'POST', `${it.path}/${id}/rearm`)).body).toMatchObject({ code: 'not_tripped' })
  })

  it('notice what an agent asks for, which is not carried out', async () => {
    const it = await scene()
    const { id } = await it.plant('credential', 'GITHUB_TOKEN')
    const { run_id } = await it.begin()
    const { tripwires } = it.app
    expect(tripwires.heard(it.crewId, it.agentId, run_id, '/notify', { title: 'harmless' })).toBe(false)
    expect(tripwires.heard(it.crewId, it.agentId, run_id, '/notify', { title: it.value(id) })).toBe(true)
    await it.runs.ended(run_id)
    expect(await it.run(run_id)).toMatchObject({ status: 'FAILED' })
    expect((await it.call('MANAGER', 'GET', `${it.path}/${id}`)).body.trips).toMatchObject([{ place: 'call' }])
  })

  it('stop all runs of an agent whose request the sidecar found one in', async () => {
    const it = await scene()
    const { id } = await it.plant('credential', 'GITHUB_TOKEN')
    const { run_id } = await it.begin()
    it.app.tripwires.sent(it.crewId, { tripwireId: id, agentId: it.agentId, host: 'evil.example' })
    await it.runs.ended(run_id)
    expect((await it.call('MANAGER', 'GET', `${it.path}/${id}`)).body.trips).toMatchObject([
      { run_id, place: 'request', detail: expect.stringContaining('evil.example') },
    ])
  })

  it('let their agents go on once they are removed', async () => {
    const it = await scene()
    const { id } = await it.plant('credential', 'GITHUB_TOKEN')
    const { run_id, program } = await it.begin()
    it.runtime.print(program, says(it.value(id)))
    await it.runs.ended(run_id)
    expect((await it.call('MANAGER', 'DELETE', `${it.path}/${id}`)).status).toBe(204)
    expect((await it.call('MANAGER', 'GET', it.path)).body).toEqual([])
    expect(it.app.db.prepare('SELECT encrypted_value FROM tripwires').pluck().all()).toEqual([null])
    await it.begin(1)
  })
})

describe('a request of nobody that is known', () => {
  it('stops the only run of the crew, and none where there are two', async () => {
    const it = await scene()
    const { id } = await it.plant('credential', 'GITHUB_TOKEN')
    const found = { tripwireId: id, agentId: null, host: 'evil.example' }
    const { run_id } = await it.begin()
    const bob = await it.mate('bob')
    const other = await it.send(await it.openChat(bob), 'Please begin.')
    await it.runtime.program(1)
    const recorded = new Promise<void>((resolve) => {
      it.app.bus.on('entry', ({ entry }) => entry.entry_type === 'tripwire.tripped' && resolve())
    })
    it.app.tripwires.sent(it.crewId, found)
    await recorded
    expect(it.entries().find(({ entry_type }) => entry_type === 'tripwire.tripped')?.trace_id).toBeUndefined()
    it.runtime.finish(await it.runtime.program(1))
    await it.runs.ended(other.run_id)
    expect(await it.run(run_id)).toMatchObject({ status: 'RUNNING' })
    it.app.tripwires.sent(it.crewId, found)
    await it.runs.ended(run_id)
    expect(await it.run(run_id)).toMatchObject({ status: 'FAILED' })
  })
})
