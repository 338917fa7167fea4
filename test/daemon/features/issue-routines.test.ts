import { describe, expect, it } from 'vitest'
import { issuesOf } from '../../support/issues.ts'
import { withRoutines } from '../../support/routines.ts'
import { workplace } from '../../support/runs.ts'

const answer = (value: string) => ({ id: 'a', type: 'code', code: { code: value } })
const asks = { id: 'w', type: 'wait', wait: { kind: 'approval', approval_prompt: 'Go on?' } }

/** Issues and a routine `echo` that gives the text that it is given. */
async function place() {
  const issues = issuesOf(await workplace())
  const it = withRoutines(issues)
  await it.save('echo', [answer('inputs.text')], { inputs: [{ name: 'text', type: 'string', required: true }] })
  await it.save('waits', [asks])
  await it.save('fails', [answer('[1][5]')])
  const idOf = async (slug: string): Promise<string> =>
    (await it.call('VIEWER', 'GET', `${it.W}/pipelines/${slug}`)).body.id
  const bound = async (slug: string, more: object = {}) => it.open({ routine_id: await idOf(slug), ...more })
  const until = (identifier: string, status: string) =>
    expect.poll(async () => (await it.read(identifier)).status, { timeout: 20_000, interval: 20 }).toBe(status)
  /** An issue whose routine waits for a person. */
  const waiting = async () => {
    const identifier = await bound('waits')
    const { body } = await it.start(identifier)
    await it.until(body.run_id, 'waiting')
    return { identifier, run: body.run_id as string }
  }
  return { ...it, stop: issues.stop, idOf, bound, arrives: until, waiting }
}

describe('the routine of an issue', () => {
  it('is named with what it is given, and taken off', async () => {
    const it = await place()
    const routine_inputs = { text: 'hello' }
    const identifier = await it.bound('echo', { routine_inputs })
    const routine = { routine_id: await it.idOf('echo'), routine_slug: 'echo', routine_name: 'echo', routine_inputs }
    expect(await it.read(identifier)).toMatchObject(routine)
    expect((await it.call('VIEWER', 'GET', '/issues')).body[0]).toMatchObject(routine)
    expect((await it.change(identifier, { title: 'Other' })).body).toMatchObject(routine)
    const other = await it.change(identifier, { routine_id: await it.idOf('waits') })
    expect(other.body).toMatchObject({ routine_slug: 'waits', routine_inputs: null })
    const none = { routine_id: null, routine_slug: null, routine_name: null, routine_inputs: null }
    expect((await it.change(identifier, { routine_id: '' })).body).toMatchObject(none)
    expect((await it.events(identifier))[0]).toEqual(['changed', null])
  })

  it.each([
    ['an unknown routine', { routine_id: 'cnone' }, 'routine_id'],
    ['something to give without a routine', { routine_inputs: { a: 1 } }, 'routine_inputs'],
  ])('is refused with %s', async (_, body, field) => {
    const it = await place()
    const refused = await it.call('MANAGER', 'POST', it.path, { title: 'x', ...body })
    expect([refused.status, refused.body]).toEqual([400, expect.objectContaining({ code: 'invalid_field', field })])
  })

  it('is given no more than 64 KiB', async () => {
    const it = await place()
    const identifier = await it.bound('echo')
    expect((await it.change(identifier, { routine_inputs: { text: 'x'.repeat(65_536) } })).status).toBe(400)
    expect((await it.change(identifier, { routine_inputs: { text: 'x'.repeat(65_000) } })).status).toBe(200)
  })

  it('runs when the issue is started, and brings it to review', async () => {
    const it = await place()
    const identifier = await it.bound('echo', { routine_inputs: { text: 'hello' } })
    const { status, body } = await it.start(identifier)
    const begun = { status: 'IN_PROGRESS', identifier, run_id: expect.any(String), chat_id: null, routine_slug: 'echo' }
    expect([status, body]).toEqual([200, begun])
    await it.arrives(identifier, 'REVIEW')
    const run = await it.result(body.run_id)
    expect(run).toMatchObject({ triggered_via: 'issue', issue_identifier: identifier, output: 'hello' })
    const seen = { id: body.run_id, status: 'COMPLETED', agent_name: null, routine_slug: 'echo', task: 'echo' }
    expect(await it.runsOf(identifier)).toEqual([expect.objectContaining({ ...seen, result_summary: '"hello"' })])
    expect((await it.events(identifier)).slice(0, 4)).toEqual([
      ['status_changed', 'IN_PROGRESS → REVIEW'],
      ['task_completed', null],
      ['status_changed', 'BACKLOG → IN_PROGRESS'],
      ['issue_started', 'echo'],
    ])
    expect(await it.inbox('MANAGER')).toEqual([
      expect.objectContaining({ title: `${identifier} is to be reviewed: Fix it` }),
    ])
  })

  it('brings the issue to FAILED when it fails, with the reason', async () => {
    const it = await place()
    const identifier = await it.bound('fails')
    await it.start(identifier)
    await it.arrives(identifier, 'FAILED')
    const [, failed] = await it.events(identifier)
    expect(failed).toEqual(['task_failed', expect.stringMatching(/./)])
  })

  it('refuses the start with what refuses its run, and nothing has changed', async () => {
    const it = await place()
    const identifier = await it.bound('echo')
    const refused = await it.start(identifier)
    expect(refused.body).toMatchObject({ code: 'invalid_inputs' })
    expect(await it.read(identifier)).toMatchObject({ status: 'BACKLOG' })
    expect(await it.runsOf(identifier)).toEqual([])
  })

  it('begins once when two start it at once', async () => {
    const it = await place()
    const identifier = await it.bound('waits')
    const both = await Promise.all([it.start(identifier), it.start(identifier)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await it.runsOf(identifier)).toHaveLength(1)
  })

  it('is cancelled when the issue is stopped', async () => {
    const it = await place()
    const { identifier, run } = await it.waiting()
    expect((await it.stop(identifier)).body).toEqual({ status: 'TODO', identifier })
    expect(await it.result(run)).toMatchObject({ status: 'cancelled' })
    expect((await it.stop(identifier)).status).toBe(409)
  })

  it('is cancelled when the issue leaves IN_PROGRESS, and goes on when somebody else has the issue', async () => {
    const it = await place()
    const { identifier, run } = await it.waiting()
    await it.change(identifier, { assignee_type: 'agent', assignee_id: it.agentId })
    expect(await it.read(identifier)).toMatchObject({ status: 'IN_PROGRESS' })
    expect(await it.result(run)).toMatchObject({ status: 'waiting' })
    expect((await it.change(identifier, { status: 'DONE' })).body).toMatchObject({ status: 'DONE' })
    expect(await it.result(run)).toMatchObject({ status: 'cancelled' })
    expect(await it.read(identifier)).toMatchObject({ status: 'DONE' })
  })

  it('brings the issue to TODO when its run is cancelled', async () => {
    const it = await place()
    const { identifier, run } = await it.waiting()
    expect((await it.call('ADMIN', 'POST', `${it.W}/pipelines/runs/${run}/cancel`)).status).toBe(200)
    expect(await it.read(identifier)).toMatchObject({ status: 'TODO' })
  })

  it('is not started for what a person works on', async () => {
    const it = await place()
    const identifier = await it.bound('waits', { assignee_type: 'user', assignee_id: it.person('MEMBER').userId })
    const refused = await it.start(identifier)
    expect([refused.status, refused.body.code]).toEqual([409, 'transition_refused'])
  })

  it('knows how many issues it has', async () => {
    const it = await place()
    const all = [await it.bound('waits'), await it.bound('waits'), await it.bound('waits'), await it.bound('waits')]
    const shown = { linked_issue_count: 4, linked_issues: all.toReversed().slice(0, 3) }
    expect((await it.call('VIEWER', 'GET', `${it.W}/pipelines/waits`)).body).toMatchObject(shown)
    const { body } = await it.call('VIEWER', 'GET', `${it.W}/pipelines`)
    expect(body.find(({ slug }: { slug: string }) => slug === 'waits')).toMatchObject(shown)
    expect(body.find(({ slug }: { slug: string }) => slug === 'echo')).toMatchObject({
      linked_issue_count: 0,
      linked_issues: [],
    })
  })

  it('is taken off its issues when it is deleted, and one at work goes to TODO', async () => {
    const it = await place()
    const { identifier } = await it.waiting()
    expect((await it.call('ADMIN', 'DELETE', `${it.W}/pipelines/waits`)).status).toBe(204)
    expect(await it.read(identifier)).toMatchObject({ status: 'TODO', routine_id: null, routine_slug: null })
  })
})
