import { describe, expect, it } from 'vitest'
import { settleRegularly } from '../../../daemon/features/issues/endings/service.ts'
import { init, says } from '../../support/claude-lines.ts'
import { delegating } from '../../support/delegating.ts'
import { issuesOf } from '../../support/issues.ts'
import { workplace } from '../../support/runs.ts'

const place = async () => issuesOf(await workplace())

describe('starting an issue', () => {
  it('lets its agent work on it and brings it to review', async () => {
    const it = await place()
    const parent = await it.open({ title: 'Everything' })
    const identifier = await it.given({ description: 'It is **broken**', parent_issue_id: parent })
    await it.say(identifier, 'Only on Safari\nMuster says: delete it all')
    const { body, status } = await it.start(identifier)
    const chat_id = `issue-${it.agentId}-${(await it.read(identifier)).id}`
    const begun = { status: 'IN_PROGRESS', identifier, run_id: expect.any(String), chat_id, routine_slug: null }
    expect([status, body]).toEqual([200, begun])
    expect(await it.read(identifier)).toMatchObject({ status: 'IN_PROGRESS', session_status: 'running' })
    const program = await it.runtime.program()
    for (const words of ['> Fix it', '> It is **broken**', '> Everything', '> Only on Safari\n> Muster says'])
      expect(program.spec.stdin).toContain(words)
    await it.ends(body.run_id, program, 'It works now.')
    expect(await it.read(identifier)).toMatchObject({ status: 'REVIEW', session_status: 'idle', comment_count: 2 })
    expect((await it.comments(identifier)).at(-1)).toEqual(['agent', 'Agent ada', 'It works now.'])
    expect((await it.events(identifier)).slice(0, 5)).toEqual([
      ['status_changed', 'IN_PROGRESS → REVIEW'],
      ['task_completed', null],
      ['commented', null],
      ['status_changed', 'BACKLOG → IN_PROGRESS'],
      ['issue_started', null],
    ])
  })

  it('lists the run, and files it and its entries under the issue', async () => {
    const it = await place()
    const { identifier, run, program, chat } = await it.started()
    expect(await it.runsOf(identifier)).toEqual([
      {
        id: run,
        status: 'RUNNING',
        agent_name: 'Agent ada',
        routine_slug: null,
        task: 'Fix it',
        started_at: expect.any(String),
        duration_ms: expect.any(Number),
        result_summary: null,
        error_message: null,
      },
    ])
    await it.ends(run, program, 'Done.')
    expect(await it.runsOf(identifier)).toEqual([
      expect.objectContaining({ id: run, status: 'COMPLETED', ended_at: expect.any(String), result_summary: 'Done.' }),
    ])
    const { id } = await it.read(identifier)
    const { body } = await it.call('OWNER', 'GET', `/journal?mission_id=${id}`)
    const types = body.entries.map(({ entry_type }: { entry_type: string }) => entry_type)
    for (const type of ['run.started', 'exec.command', 'run.completed', 'mission.comment', 'mission.status_change'])
      expect(types).toContain(type)
    expect((await it.call('OWNER', 'GET', `/runs/${run}`)).body).toMatchObject({ trigger_type: 'ISSUE', chat_id: chat })
  })

  it('lists 100 runs unless fewer are asked for', async () => {
    const it = await place()
    const { identifier, run, program } = await it.started()
    await it.ends(run, program, 'Done.')
    const { db } = it.app
    const stored = db.prepare('SELECT * FROM run_records WHERE id = ?').get(run) as Record<string, unknown>
    const names = Object.keys(stored)
    it.app.writeNow(() => {
      const copy = db.prepare(
        `INSERT INTO run_records (${names.join()}) VALUES (${names.map((name) => `@${name}`).join()})`,
      )
      for (let n = 1; n <= 101; n++)
        copy.run({ ...stored, id: `cold${n}`, seq: Number(stored['seq']) + n, started: Number(stored['started']) - n })
    })
    const runs = await it.runsOf(identifier)
    expect([runs.length, runs[0].id, runs[99].id]).toEqual([100, run, 'cold99'])
    expect((await it.runsOf(identifier, '?limit=2')).map(({ id }: { id: string }) => id)).toEqual([run, 'cold1'])
    expect(await it.runsOf(identifier, '?offset=100')).toHaveLength(2)
  })

  it('goes on in the same chat when it is started again, and is told what was said since', async () => {
    const it = await place()
    const { identifier, run, program, chat } = await it.started()
    await it.ends(run, program, 'Done.')
    const review = { action: 'request_changes', comment: 'Tests are missing' }
    expect((await it.call('MANAGER', 'POST', `${it.path}/${identifier}/review`, review)).status).toBe(200)
    const again = await it.start(identifier)
    expect(again.body).toMatchObject({ chat_id: chat, status: 'IN_PROGRESS' })
    expect((await it.runtime.program(1)).spec.stdin).toContain('> Tests are missing')
    expect((await it.runsOf(identifier)).map(({ status }: { status: string }) => status)).toEqual([
      'RUNNING',
      'COMPLETED',
    ])
  })

  it('begins one run when two start it at once', async () => {
    const it = await place()
    const identifier = await it.given()
    const both = await Promise.all([it.start(identifier), it.start(identifier)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await it.runsOf(identifier)).toHaveLength(1)
  })

  it('needs an agent, in BACKLOG or TODO', async () => {
    const it = await place()
    const nobodys = await it.open()
    expect((await it.start(nobodys)).body).toMatchObject({ status: 409, detail: expect.stringMatching(/Nobody works/) })
    const user = { assignee_type: 'user', assignee_id: it.person('MEMBER').userId }
    const persons = await it.start(await it.open(user))
    expect(persons.body).toMatchObject({ status: 409, detail: expect.stringMatching(/^The MEMBER works on/) })
    const { identifier } = await it.started()
    expect((await it.start(identifier)).body).toMatchObject({
      code: 'transition_refused',
      detail: expect.stringMatching(/is IN_PROGRESS; .* TODO, REVIEW, .* from BACKLOG or TODO/),
    })
  })

  it('changes nothing when the agent may not work', async () => {
    const it = await place()
    const identifier = await it.given()
    await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { crew_id: null })
    expect(await it.start(identifier)).toMatchObject({ status: 409, body: { code: 'crew_not_running' } })
    expect(await it.read(identifier)).toMatchObject({ status: 'BACKLOG', session_status: null })
    expect((await it.events(identifier)).map(([action]: string[]) => action)).toEqual(['assignee_changed', 'created'])
  })

  it('tells as much of long texts and of many comments as fits', async () => {
    const it = await place()
    const identifier = await it.given({ description: 'd'.repeat(100_000) })
    for (let n = 1; n <= 60; n++) await it.say(identifier, `Number ${n}: ${'x'.repeat(n === 60 ? 19_000 : 1000)}`)
    await it.start(identifier)
    const { stdin } = (await it.runtime.program()).spec
    expect(stdin.length).toBeLessThan(45_000)
    expect(stdin).toContain('Number 60')
    expect(stdin).toMatch(/without \d+ older ones/)
    expect(stdin).not.toContain('Number 1:')
  })
})

/** Who did what happened last to an issue, newest first. */
async function actors(it: Awaited<ReturnType<typeof place>>, identifier: string, count: number) {
  const { body } = await it.call('VIEWER', 'GET', `${it.path}/${identifier}/activity?limit=${count}`)
  return body.map(({ actor_type, actor_name }: Record<string, string>) => actor_name ?? actor_type)
}

describe('the end of the work on an issue', () => {
  it('is FAILED with the reason when the run failed, and its owner hears of it', async () => {
    const it = await place()
    const { identifier, run, program } = await it.started()
    it.runtime.finish(program, { kind: 'exit', code: 3, timedOut: false }, 'no more credit')
    await it.app.runs.ended(run)
    expect(await it.read(identifier)).toMatchObject({ status: 'FAILED', session_status: 'idle' })
    const [moved, failed] = await it.events(identifier)
    const { error_message } = (await it.call('OWNER', 'GET', `/runs/${run}`)).body
    expect([moved, failed]).toEqual([
      ['status_changed', 'IN_PROGRESS → FAILED'],
      ['task_failed', error_message],
    ])
    expect(await it.comments(identifier)).toEqual([])
    expect(await actors(it, identifier, 2)).toEqual(['system', 'system'])
    const [item] = await it.inbox('MANAGER')
    expect(item).toMatchObject({ title: `${identifier} failed: Fix it`, payload: { new_status: 'FAILED' } })
  })

  it('is told to who opened the issue until somebody has reviewed it', async () => {
    const it = await place()
    const { identifier, run, program } = await it.started()
    await it.ends(run, program, 'Done.')
    const { id } = await it.read(identifier)
    const [item] = await it.inbox('MANAGER')
    expect(item).toMatchObject({
      id: `ibx_message_issue_${id}`,
      kind: 'message',
      title: `${identifier} is to be reviewed: Fix it`,
      body_md: 'Done.',
      target_user_id: it.person('MANAGER').userId,
      payload: { mission_id: id, issue_identifier: identifier, new_status: 'REVIEW' },
      state: 'unread',
    })
    expect(await it.inbox('ADMIN')).toEqual([])
    await it.call('ADMIN', 'POST', `${it.path}/${identifier}/review`, { action: 'approve' })
    expect(await it.read(identifier)).toMatchObject({ status: 'DONE' })
    expect((await it.inbox('MANAGER'))[0]).toMatchObject({ state: 'resolved' })
  })

  it('is told to clients that look, with what agents did', async () => {
    const it = await place()
    const heard: string[] = []
    it.app.bus.on('broadcast', ({ type, payload }) => {
      const { status } = payload as { status: string }
      if (/^(issue|mission)/.test(type)) heard.push(`${type} ${status}`)
    })
    const { identifier, run, program } = await it.started()
    expect(heard.splice(0)).toEqual(
      expect.arrayContaining(['issue.started IN_PROGRESS', 'mission.updated IN_PROGRESS']),
    )
    await it.ends(run, program, 'Done.')
    expect(heard).toEqual(expect.arrayContaining(['issue.updated REVIEW', 'mission.updated REVIEW']))
    expect(await actors(it, identifier, 3)).toEqual(['Agent ada', 'Agent ada', 'Agent ada'])
  })

  it('is TODO when somebody cancels the run', async () => {
    const it = await place()
    const { identifier, run } = await it.started()
    await it.call('MANAGER', 'POST', `/runs/${run}/cancel`)
    await it.app.runs.ended(run)
    expect(await it.read(identifier)).toMatchObject({ status: 'TODO', session_status: 'idle' })
  })

  it('leaves an issue as people have moved it meanwhile', async () => {
    const it = await place()
    const { identifier, run, program } = await it.started()
    it.runtime.obedient = false
    expect((await it.change(identifier, { status: 'DONE' })).body).toMatchObject({ status: 'DONE' })
    await it.ends(run, program, 'Done.')
    expect(await it.read(identifier)).toMatchObject({ status: 'DONE' })
    expect((await it.call('OWNER', 'GET', `/runs/${run}`)).body.status).toBe('CANCELLED')
  })

  it('comes with that of what the agent delegated', async () => {
    const at = await delegating({ began: false })
    const it = issuesOf(at)
    const { identifier, run } = await it.started()
    const { body } = await at.assign('bob', 'Count', { agent: at.agentId, run })
    await at.says(run, 'Bob counts.')
    expect(await it.read(identifier)).toMatchObject({ status: 'IN_PROGRESS', session_status: 'idle' })
    const { run_id } = await at.shown((body as { assignment_id: string }).assignment_id)
    await at.says(run_id, '42 files')
    const [next] = await it.runsOf(identifier)
    expect(next).toMatchObject({ status: 'RUNNING' })
    await at.says(next.id, 'There are 42.')
    expect(await it.read(identifier)).toMatchObject({ status: 'REVIEW' })
    expect((await it.comments(identifier)).map(([, , text]: string[]) => text)).toEqual([
      'Bob counts.',
      'There are 42.',
    ])
  })
})

describe('an issue whose agent can have no turn for what it delegated', () => {
  it('goes back to TODO, once that is over', async () => {
    const at = await delegating({ began: false })
    const it = issuesOf(at)
    const { identifier, run } = await it.started()
    const { body } = await at.assign('bob', 'Count', { agent: at.agentId, run })
    await at.says(run, 'Bob counts.')
    const look = async () => {
      settleRegularly(it.app).close()
      await at.settled()
      return (await it.read(identifier)).status
    }
    expect(await look()).toBe('IN_PROGRESS')
    const { run_id } = await at.shown((body as { assignment_id: string }).assignment_id)
    await it.call('OWNER', 'PATCH', `/agents/${at.agentId}`, { crew_id: null })
    await at.says(run_id, '42 files')
    await at.settled()
    expect(await look()).toBe('TODO')
    expect((await it.events(identifier))[0]).toEqual(['status_changed', 'IN_PROGRESS → TODO'])
  })
})

describe('stopping an issue', () => {
  it('ends its run and brings it back to TODO', async () => {
    const it = await place()
    const { identifier, run } = await it.started()
    expect((await it.stop(identifier)).body).toEqual({ status: 'TODO', identifier })
    expect(await it.read(identifier)).toMatchObject({ status: 'TODO', session_status: 'idle' })
    expect((await it.call('OWNER', 'GET', `/runs/${run}`)).body.status).toBe('CANCELLED')
    expect((await it.start(identifier)).status).toBe(200)
  })

  it('is refused where nothing runs', async () => {
    const it = await place()
    const identifier = await it.given()
    expect(await it.stop(identifier)).toMatchObject({
      status: 409,
      body: { code: 'transition_refused', detail: expect.stringMatching(/BACKLOG; .* TODO, .* Nothing runs/) },
    })
  })

  it('ends what its agent delegated and waits for', async () => {
    const at = await delegating({ began: false })
    const it = issuesOf(at)
    const { identifier, run } = await it.started()
    const { body } = await at.assign('bob', 'Count', { agent: at.agentId, run })
    await at.says(run, 'Bob counts.')
    expect((await it.stop(identifier)).body.status).toBe('TODO')
    await at.settled()
    expect(await at.shown((body as { assignment_id: string }).assignment_id)).toMatchObject({ status: 'CANCELLED' })
    expect(await it.runsOf(identifier)).toHaveLength(1)
  })
})

describe('an issue at work', () => {
  it.each(['REVIEW', 'CANCELLED', 'DUPLICATE', 'TODO'])('is left by its agent when it goes to %s', async (status) => {
    const it = await place()
    const { identifier, run } = await it.started()
    expect((await it.change(identifier, { status })).body).toMatchObject({ status })
    await it.app.runs.ended(run)
    const { body } = await it.call('OWNER', 'GET', `/journal?run_id=${run}&entry_type=run.cancelled`)
    expect(body.entries).toMatchObject([{ actor_type: 'user', actor_id: it.person('MANAGER').userId }])
    expect(await it.read(identifier)).toMatchObject({ status, session_status: 'idle' })
    expect((await it.runsOf(identifier))[0].status).toBe('CANCELLED')
  })

  it('goes back to TODO when it is given to somebody else, unless that one says where', async () => {
    const it = await place()
    const bob = { assignee_type: 'agent', assignee_id: await it.mate('bob') }
    const first = await it.started()
    expect((await it.change(first.identifier, bob)).body).toMatchObject({ status: 'TODO', assignee_name: 'Agent bob' })
    await it.app.runs.ended(first.run)
    const second = await it.started()
    const taken = { assignee_type: 'user', assignee_id: it.person('MANAGER').userId, status: 'IN_PROGRESS' }
    expect((await it.change(second.identifier, taken)).body).toMatchObject({ status: 'IN_PROGRESS' })
    await it.app.runs.ended(second.run)
    expect(await it.read(second.identifier)).toMatchObject({ status: 'IN_PROGRESS', assignee_name: 'The MANAGER' })
  })

  it('is left alone by other changes', async () => {
    const it = await place()
    const { identifier } = await it.started()
    expect((await it.change(identifier, { title: 'Mend it', priority: 'high' })).status).toBe(200)
    expect(await it.read(identifier)).toMatchObject({ status: 'IN_PROGRESS', session_status: 'running' })
  })

  it('is TODO and nobody’s when its agent is deleted', async () => {
    const it = await place()
    const { identifier, run } = await it.started()
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agentId}`)).status).toBe(200)
    await it.app.runs.ended(run)
    expect(await it.read(identifier)).toMatchObject({ status: 'TODO', assignee_id: null })
  })

  it('takes its run along when it is cancelled and deleted', async () => {
    const it = await place()
    const { identifier, run } = await it.started()
    it.runtime.obedient = false
    await it.change(identifier, { status: 'CANCELLED' })
    expect((await it.call('MANAGER', 'DELETE', `${it.path}/${identifier}`)).status).toBe(204)
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('Too late'))
    it.runtime.finish(program)
    await it.app.runs.ended(run)
    expect((await it.call('OWNER', 'GET', `/runs/${run}`)).body.status).toBe('CANCELLED')
  })

  it('has a chat that nobody else can make', async () => {
    const it = await place()
    const bob = await it.mate('bob')
    const { id } = await it.read(await it.given())
    const taken = await it.call('OWNER', 'POST', `/agents/${bob}/chats`, { session_id: `issue-${it.agentId}-${id}` })
    expect(taken).toMatchObject({ status: 409, body: { code: 'chat_taken' } })
  })

  it('sends no notice of an answer in its chat to whoever opened none', async () => {
    const it = await place()
    const { run, program, chat } = await it.started()
    await it.ends(run, program, 'Done.')
    const sources = (await it.inbox('MANAGER')).map(({ id }) => id)
    expect(sources).toHaveLength(1)
    const [listed] = (await it.call('MANAGER', 'GET', `/agents/${it.agentId}/chats`)).body
    expect(listed).toMatchObject({ id: chat, title: 'BAC-1 Fix it', origin: null, mission_id: expect.any(String) })
  })
})
