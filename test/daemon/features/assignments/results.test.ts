import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { closing } from '#test'
import { sweep } from '../../../../daemon/features/assignments/jobs.ts'
import { init, result, says } from '../../../support/claude-lines.ts'
import { askedInRoom, type Delegating, delegating } from '../../../support/delegating.ts'

const idOf = ({ body }: { body: unknown }) => (body as { assignment_id: string }).assignment_id
const ada = (it: Delegating) => ({ agent: it.agentId, run: it.runId })

interface Message {
  role: string
  content: string
  metadata?: Record<string, unknown>
}
const messages = async (it: Delegating): Promise<Message[]> =>
  (await it.call('OWNER', 'GET', `/chats/${it.chat}/messages`)).body.messages

/** Runs of ada that are open. */
const open = async (it: Delegating): Promise<string[]> =>
  (await it.call('OWNER', 'GET', `/runs?agent_id=${it.agentId}&status=RUNNING`)).body.data.map(
    ({ id }: { id: string }) => id,
  )

it('reaches the asking agent by the tool while its run goes on, and then not again', async () => {
  const it = await delegating()
  const id = idOf(await it.assign('bob'))
  const waiting = it.ask(ada(it), '/results', { assignment_id: id })
  await it.says((await it.shown(id)).run_id, '42 files')
  expect(await waiting).toEqual({
    status: 200,
    body: { assignment_id: id, status: 'COMPLETED', target: 'bob', task: 'Count the files', result: '42 files' },
  })
  expect((await it.ask(ada(it), '/results', { assignment_id: id })).body).toMatchObject({ result: '42 files' })
  await it.says(it.runId, 'There are 42')
  await it.settled()
  expect(await open(it)).toEqual([])
  expect((await messages(it)).map(({ content }) => content)).toEqual(['Work', 'There are 42'])
})

it('waits no longer than asked, and says how it stands', async () => {
  const it = await delegating({ most: 1 })
  const [id, second] = [idOf(await it.assign('bob')), idOf(await it.assign('cleo'))]
  const told = {
    status: 200,
    body: expect.objectContaining({ status: 'RUNNING', note: expect.stringMatching(/brought/) }),
  }
  expect(await it.ask(ada(it), '/results', { assignment_id: id, wait_seconds: 0 })).toEqual(told)
  const answer = await it.ask(ada(it), '/results', { assignment_id: second, wait_seconds: 0 })
  expect(answer.body).toMatchObject({ status: 'QUEUED' })
})

it('is nothing to another agent, nor to a foreign workspace', async () => {
  const it = await delegating()
  const id = idOf(await it.assign('bob'))
  const bob = { agent: it.bob, run: (await it.shown(id)).run_id }
  expect((await it.ask(bob, '/results', { assignment_id: id })).status).toBe(404)
  const stranger = it.stranger()
  expect((await it.call(stranger, 'GET', `/assignments/${id}`)).status).toBe(404)
  expect((await it.call(stranger, 'POST', `/assignments/${id}/cancel`)).status).toBe(404)
  expect((await it.call(stranger, 'GET', `/crews/${it.crewId}/assignments`)).status).toBe(404)
  expect((await it.call(stranger, 'GET', `/runs/${it.runId}/tree`)).status).toBe(404)
})

it('is brought to an agent whose run has ended, in one turn for all, once all have ended', async () => {
  const it = await delegating()
  const [one, two] = [idOf(await it.assign('bob', 'Count')), idOf(await it.assign('cleo', 'Weigh'))]
  await it.says(it.runId, 'I have asked bob and cleo')
  await it.says((await it.shown(one)).run_id, '42 files\nin all')
  await it.settled()
  expect(await open(it)).toEqual([])
  const cleo = await it.started((await it.shown(two)).run_id)
  it.runtime.finish(cleo, { kind: 'exit', code: 3, timedOut: false }, 'broken')
  await it.runs.ended((await it.shown(two)).run_id)
  await it.settled()
  const [next, ...more] = await open(it)
  expect(more).toEqual([])
  const { spec } = await it.started(next!)
  const prompt = spec.argv.join('\n') + String(spec.stdin)
  expect(prompt).toContain(
    `@bob finished (assignment ${one}). The task was:\n> Count\nThe answer:\n> 42 files\n> in all`,
  )
  expect(prompt).toContain(`@cleo failed (assignment ${two}). The task was:\n> Weigh\nThe reason:\n> `)
  await it.says(next!, 'So there are 42')
  await it.settled()
  const said = await messages(it)
  expect(said.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(said[2]!.metadata).toEqual({ kind: 'assignment_results', assignments: [one, two] })
  expect(await open(it)).toEqual([])
})

it('waits until the agent is done with what it is asked meanwhile', async () => {
  const it = await delegating()
  const id = idOf(await it.assign('bob'))
  await it.says(it.runId, 'Asked')
  const { run_id } = await it.send(it.chat, 'And now?')
  await it.says((await it.shown(id)).run_id, '42 files')
  await it.settled()
  expect(await open(it)).toEqual([run_id])
  await it.says(run_id, 'Still waiting')
  await it.settled()
  expect(await open(it)).toHaveLength(1)
  expect((await messages(it)).at(-1)!.content).toContain('> 42 files')
})

it('waits while the run that asked waits for a person, and is delivered once after it', async () => {
  const it = await delegating()
  const id = idOf(await it.assign('bob'))
  const { body } = await it.ask(ada(it), '/ask-human', { question: 'Hidden files, too?' })
  await it.runs.ended(it.runId)
  await it.says((await it.shown(id)).run_id, '42 files')
  await sweep(it.app)
  await it.settled()
  const told = async () => (await messages(it)).filter(({ content }) => content.includes('> 42 files'))
  expect([await open(it), await told()]).toEqual([[it.runId], []])
  const item = (body as { inbox_item_id: string }).inbox_item_id
  const answer = { action: 'answer', input: 'No' }
  expect((await it.call('OWNER', 'POST', `/inbox/${item}/act`, answer)).status).toBe(200)
  // After ada's first program and bob's.
  const again = await it.runtime.program(2)
  expect([again.spec.runId.startsWith(it.runId), await told()]).toEqual([true, []])
  it.runtime.print(again, init, says('I have asked bob'), result())
  it.runtime.finish(again)
  await it.runs.ended(it.runId)
  await it.settled()
  const [next] = await open(it)
  expect(await told()).toHaveLength(1)
  await it.says(next!, 'There are 42')
  await sweep(it.app)
  await it.settled()
  expect([await open(it), (await told()).length]).toEqual([[], 1])
})

it('is delivered once when the daemon is killed between the end and the delivery', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-assignments-'))
  closing({ close: () => rmSync(folder, { recursive: true, force: true }) })
  const it = await delegating({ file: join(folder, 'muster.db') })
  const id = idOf(await it.assign('bob'))
  await it.says(it.runId, 'Asked')
  // What follows an end is lost with the daemon.
  const { wires } = it.app.reactor
  it.app.reactor.connect(wires.filter(({ feature, phase }) => feature !== 'assignments' || phase === 'on'))
  await it.says((await it.shown(id)).run_id, '42 files')
  await it.settled()
  expect((await it.shown(id)).state).toBe('COMPLETED')
  expect(await open(it)).toEqual([])
  it.app.reactor.connect(wires)
  await sweep(it.app)
  await sweep(it.app)
  expect(await open(it)).toHaveLength(1)
  await it.says((await open(it))[0]!, 'There are 42')
  await it.settled()
  await sweep(it.app)
  expect((await messages(it)).filter(({ content }) => content.includes('> 42 files'))).toHaveLength(1)
  expect(await open(it)).toEqual([])
})

it('of an agent that delegated in turn comes once that has ended, with its last words', async () => {
  const it = await delegating()
  const outer = idOf(await it.assign('bob', 'Write a report'))
  const first = (await it.shown(outer)).run_id
  const inner = idOf(await it.assign('cleo', 'Find facts', { agent: it.bob, run: first }))
  expect(await it.shown(inner)).toMatchObject({ depth: 2, parent_assignment_id: outer, chat_id: it.chat })
  await it.says(first, 'I wait for cleo')
  await it.settled()
  expect(await it.shown(outer)).toMatchObject({ state: 'RUNNING', result_summary: null })
  await it.says((await it.shown(inner)).run_id, 'The sky is blue')
  await it.settled()
  const second = (await it.shown(outer)).run_id
  expect(second).not.toBe(first)
  const { spec } = await it.started(second)
  const prompt = spec.argv.join('\n') + String(spec.stdin)
  for (const words of ['Write a report', 'I wait for cleo', '> The sky is blue']) expect(prompt).toContain(words)
  await it.says(second, 'Report: the sky is blue')
  await it.settled()
  expect(await it.shown(outer)).toMatchObject({ state: 'COMPLETED', result_summary: 'Report: the sky is blue' })
  const tree = (await it.call('OWNER', 'GET', `/runs/${it.runId}/tree`)).body
  expect(tree).toMatchObject({ run_id: it.runId, agent_slug: 'ada', status: 'RUNNING', finished_at: null })
  expect(
    tree.assignments.map(({ agent_slug, depth, state, parent_assignment_id }: Record<string, unknown>) => [
      agent_slug,
      depth,
      state,
      parent_assignment_id,
    ]),
  ).toEqual([
    ['bob', 1, 'COMPLETED', null],
    ['cleo', 2, 'COMPLETED', outer],
  ])
  expect((await it.call('OWNER', 'GET', `/runs/${second}/tree`)).body.assignments).toHaveLength(1)
})

it('holds a waiting agent no place, so that a crew with one place goes on', async () => {
  const it = await delegating({ most: 1 })
  const outer = idOf(await it.assign('bob'))
  const first = (await it.shown(outer)).run_id
  const inner = idOf(await it.assign('cleo', 'Find facts', { agent: it.bob, run: first }))
  expect((await it.shown(inner)).state).toBe('QUEUED')
  await it.says(first, 'I wait')
  await it.settled()
  await it.says((await it.shown(inner)).run_id, 'Facts')
  await it.settled()
  await it.says((await it.shown(outer)).run_id, 'Done')
  await it.settled()
  expect(await it.shown(outer)).toMatchObject({ state: 'COMPLETED', result_summary: 'Done' })
})

it('is what an agent says after its last tool, cut at 10,000 characters', async () => {
  const it = await delegating()
  const id = idOf(await it.assign('bob'))
  const { run_id } = await it.shown(id)
  const program = await it.started(run_id)
  const { calls, gets } = await import('../../../support/claude-lines.ts')
  it.runtime.print(
    program,
    init,
    says('I look'),
    calls('t1', 'Bash'),
    gets('t1', 'x'),
    says('é'.repeat(12_000)),
    result(),
  )
  it.runtime.finish(program)
  await it.runs.ended(run_id)
  const { result_summary } = (await it.shown(id)) as { result_summary?: string }
  expect([...result_summary!]).toHaveLength(10_000)
  expect(result_summary!.startsWith('éé')).toBe(true)
  expect(result_summary!.endsWith('é\n[cut here]')).toBe(true)
})

it('from a room is said there by the agent that asked', async () => {
  const it = await delegating()
  const room = await it.call('OWNER', 'POST', '/conversations', {
    kind: 'channel',
    title: 'Plans',
    agent_id: it.agentId,
    member_ids: [],
    client_id: 'r1',
  })
  expect(room.status, room.text).toBe(201)
  const path = `/conversations/${room.body.id}`
  await it.call('OWNER', 'POST', `${path}/messages`, { content: '@ada count', client_id: 'm1' })
  const run = (await it.call('OWNER', 'GET', path)).body.run_id
  await it.started(run)
  const id = idOf(await it.assign('bob', 'Count', { agent: it.agentId, run }))
  await it.says(run, 'I ask bob')
  await it.says((await it.shown(id)).run_id, '42 files')
  await it.settled()
  const said = (await it.call('OWNER', 'GET', `${path}/messages`)).body.messages
  expect(said.at(-1)).toMatchObject({ author_type: 'agent', content: expect.stringContaining('> 42 files') })
})

it('from a room is for its members alone', async () => {
  const it = await delegating()
  const { run, heard } = await askedInRoom(it)
  const id = idOf(await it.assign('bob', 'Find the plum', { agent: it.agentId, run }))
  const worked = (await it.shown(id)).run_id
  await it.says(worked, 'A plum it is')
  await it.says(run, 'Done')
  await it.settled()
  expect(await it.shown(id)).toMatchObject({ task: 'Find the plum', result_summary: 'A plum it is' })
  const paths = [`/assignments/${id}`, `/crews/${it.crewId}/assignments`, `/runs/${run}/tree`, '/journal']
  for (const one of paths) {
    const { status, text } = await it.call('MANAGER', 'GET', one)
    expect([one, status, text.includes('plum')]).toEqual([one, 200, false])
  }
  expect((await it.call('MANAGER', 'GET', `/runs/${worked}/logs`)).status).toBe(404)
  expect(JSON.stringify(heard)).not.toContain('plum')
})

it('is told to managers without the words of its room', async () => {
  const it = await delegating({ level: 'guided' })
  const { run } = await askedInRoom(it)
  await it.assign('bob', 'Find the plum', { agent: it.agentId, run })
  const { body, text } = await it.call('MANAGER', 'GET', '/inbox')
  expect(body.rows).toMatchObject([
    { title: 'Agent ada gave work to Agent bob', body_md: 'For the members of its room alone' },
  ])
  expect(text).not.toContain('plum')
})

it('waits for approval without the words of its room but for those who are asked', async () => {
  const it = await delegating({ level: 'strict' })
  const { run, heard } = await askedInRoom(it)
  await it.assign('bob', 'Find the plum', { agent: it.agentId, run })
  for (const path of ['/journal', '/approvals', '/inbox']) {
    const { status, text } = await it.call('VIEWER', 'GET', path)
    expect([path, status, text.includes('plum')]).toEqual([path, 200, false])
  }
  expect(JSON.stringify(heard)).not.toContain('plum')
  expect((await it.call('OWNER', 'GET', '/inbox')).text).toContain('plum')
})
