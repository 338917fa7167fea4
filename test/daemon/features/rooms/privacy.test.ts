import { expect, it } from 'vitest'
import { addPerson, type Person } from '#test'
import { act } from '../../../support/asks.ts'
import { init, result, says } from '../../../support/claude-lines.ts'
import { delegating } from '../../../support/delegating.ts'

/** Whatever is said in the room has this word in it. */
const word = /kanari/

/** A channel of the owner and Grace with the agent ada, and what the rest of the workspace hears and reads of it. */
async function scene() {
  const it = await delegating({ began: false })
  const heard: string[] = []
  it.app.bus.on('broadcast', ({ channel, type, payload }) => {
    if (!/^(room|user):/.test(channel)) heard.push(JSON.stringify({ channel, type, payload }))
  })
  const grace = it.app.writeNow(() => addPerson(it.app, 'MEMBER', it.workspace))
  const members = { member_ids: [grace.userId], agent_id: it.agentId }
  const body = { kind: 'channel', title: 'kanari', client_id: 'c', ...members }
  const room = (await it.call('OWNER', 'POST', '/conversations', body)).body.id
  await it.call(grace, 'POST', `/conversations/${room}/messages`, { content: '@ada kanari', client_id: 'm' })
  const run = (await it.call(grace, 'GET', `/conversations/${room}`)).body.run_id as string
  await it.started(run)
  const read = async (who: Person | 'ADMIN' | 'MEMBER') => {
    const agents = (await it.call(who, 'GET', '/agents')).body as { id: string }[]
    const each = ({ id }: { id: string }) => [`/agents/${id}/logs`, `/agents/${id}/runs`]
    const paths = [
      '/journal?limit=200',
      '/runs',
      `/runs/${run}`,
      `/runs/${run}/tree`,
      `/crews/${it.crewId}/assignments`,
      `/crews/${it.crewId}/standup`,
      '/inbox?limit=100',
      '/approvals?status=all',
      ...agents.flatMap(each),
    ]
    const answers = await Promise.all(paths.map(async (path) => ({ path, ...(await it.call(who, 'GET', path)) })))
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200))
    return answers.filter(({ text }) => word.test(text)).map(({ path }) => path)
  }
  const by = { agent: it.agentId, run }
  const nobodyElse = async () => {
    expect([await read('ADMIN'), await read('MEMBER')]).toEqual([[], []])
    expect(heard.filter((text) => word.test(text))).toEqual([])
  }
  return { ...it, run, room, grace, by, read, nobodyElse }
}

it('what is said in a room, and in runs that its agent began, reaches nobody else', async () => {
  const it = await scene()
  const { assignment_id } = (await it.assign('bob', 'kanari', it.by)).body as { assignment_id: string }
  await it.settled()
  await it.says((await it.shown(assignment_id)).run_id, 'kanari')
  await it.ask(it.by, '/report-confidence', { confidence: 0.2, reason: 'kanari' })
  const refused = { status: 409, body: { code: 'private_room' } }
  expect(await it.ask(it.by, '/escalate', { reason: 'kanari' })).toMatchObject(refused)
  const { id: to_crew_id } = (await it.call('OWNER', 'POST', '/crews', { name: 'Ops', slug: 'ops' })).body
  await it.call('OWNER', 'POST', '/crew-connections', { from_crew_id: it.crewId, to_crew_id })
  expect(await it.ask(it.by, '/crew-messages', { to_crew: 'ops', body: 'kanari' })).toMatchObject(refused)
  const asked = await it.ask(it.by, '/ask-human', { question: 'kanari?', context: 'kanari' })
  await it.runs.ended(it.run)
  await it.nobodyElse()
  expect(await it.read(it.grace)).toEqual(
    expect.arrayContaining(['/inbox?limit=100', `/runs/${it.run}/tree`, `/agents/${it.bob}/logs`]),
  )
  const { inbox_item_id } = asked.body as { inbox_item_id: string }
  expect((await act(it as never, inbox_item_id, { action: 'answer', input: 'kanari' }, it.grace)).status).toBe(200)
  await it.settled()
  const again = [...it.runtime.programs.values()].at(-1)!
  it.runtime.print(again, init, says('kanari'), result({ is_error: true, result: 'kanari failed' }))
  it.runtime.finish(again)
  await it.runs.ended(it.run)
  await it.nobodyElse()
  const { messages } = (await it.call(it.grace, 'GET', `/conversations/${it.room}/messages`)).body
  const said = messages.map(({ content }: { content: string }) => content)
  expect(said).toContain("Agent ada's run failed: kanari failed")
  expect((await it.call(it.grace, 'GET', `/runs/${it.run}`)).body.error_message).toBe('kanari failed')
})

it('a question in a room goes to members alone, also when whoever it was put to may not decide any more', async () => {
  const it = await scene()
  const asked = await it.ask(it.by, '/ask-human', { question: 'kanari?' })
  await it.runs.ended(it.run)
  const { inbox_item_id: item } = asked.body as { inbox_item_id: string }
  const reads = async (who: Person | 'OWNER' | 'ADMIN') => (await it.call(who, 'GET', `/inbox/${item}`)).status
  expect([await reads(it.grace), await reads('OWNER')]).toEqual([200, 404])
  const members = `/workspaces/${it.workspace}/members`
  const grace = (await it.call('OWNER', 'GET', members)).body.find(
    ({ user_id }: { user_id: string }) => user_id === it.grace.userId,
  )
  expect((await it.call('OWNER', 'PATCH', `${members}/${grace.id}`, { role: 'VIEWER' })).status).toBe(200)
  expect([await reads(it.grace), await reads('OWNER'), await reads('ADMIN')]).toEqual([404, 200, 404])
  await it.nobodyElse()
  await it.call(it.grace, 'POST', `/conversations/${it.room}/messages`, { content: '@ada kanari', client_id: 'n' })
  expect((await act(it as never, item, { action: 'answer', input: 'Yes' })).status).toBe(200)
})

it('a question in a room in which nobody may decide any more ends with its run', async () => {
  const it = await scene()
  const body = { kind: 'channel', title: 'kanari', client_id: 'own', agent_id: it.agentId }
  const room = (await it.call(it.grace, 'POST', '/conversations', body)).body.id
  await it.call(it.grace, 'POST', `/conversations/${room}/messages`, { content: '@ada kanari', client_id: 'own' })
  const run = (await it.call(it.grace, 'GET', `/conversations/${room}`)).body.run_id
  await it.started(run)
  await it.ask({ agent: it.agentId, run }, '/ask-human', { question: 'kanari?' })
  await it.runs.ended(run)
  const members = `/workspaces/${it.workspace}/members`
  const { id } = (await it.call('OWNER', 'GET', members)).body.find(
    ({ user_id }: { user_id: string }) => user_id === it.grace.userId,
  )
  expect((await it.call('OWNER', 'DELETE', `${members}/${id}`)).status).toBe(200)
  expect((await it.call('OWNER', 'GET', `/runs/${run}`)).body.status).toBe('CANCELLED')
  await it.nobodyElse()
})
