import { describe, expect, it } from 'vitest'
import { newId } from '#kernel/ids'
import { daemon, type TestDaemon } from '#test'
import { endRun } from '../../../../daemon/features/runs/endings/service.ts'
import { openWaitpoint } from '../../../../daemon/features/waitpoints/service.ts'
import { agentAtWork } from '../../../support/agent-at-work.ts'

type Who = Parameters<TestDaemon['call']>[0]

/** What somebody was told, newest first: who, what they did, and to what. */
const told = async (it: TestDaemon, who: Who) =>
  (await it.call(who, 'GET', '/notifications')).body.map(
    ({ actor_name, action, entity_type, entity_title }: Record<string, string>) =>
      [actor_name ?? null, action, entity_type, entity_title].join('|'),
  )

async function withIssue() {
  const it = await daemon()
  const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body
  const path = `/crews/${crew.id}/issues`
  const open = async (body: object = {}, who: Who = 'MANAGER') =>
    (await it.call(who, 'POST', path, { title: 'Fix it', ...body })).body
  const say = async (issue: { identifier: string }, body: string, who: Who = 'MEMBER') =>
    expect((await it.call(who, 'POST', `${path}/${issue.identifier}/comments`, { body })).status).toBe(201)
  return { ...it, crew, path, open, say }
}

describe('the feed tells', () => {
  it('whom an issue is given to, and not who did it', async () => {
    const it = await withIssue()
    const member = it.person('MEMBER')
    const issue = await it.open({ assignee_type: 'user', assignee_id: member.userId })
    await it.open({ assignee_type: 'user', assignee_id: it.person('MANAGER').userId })
    expect(await told(it, 'MEMBER')).toEqual([`The MANAGER|assigned|issue|${issue.identifier} Fix it`])
    expect(await told(it, 'MANAGER')).toEqual([])
    const [row] = (await it.call('MEMBER', 'GET', '/notifications')).body
    expect(row).toMatchObject({
      actor_type: 'user',
      actor_id: it.person('MANAGER').userId,
      entity_id: issue.id,
      read_at: null,
      created_at: it.app.now(),
    })
  })

  it('of a comment those who have to do with the issue, but for its author', async () => {
    const it = await withIssue()
    const issue = await it.open({ assignee_type: 'user', assignee_id: it.person('MEMBER').userId })
    await it.say(issue, 'Look', 'VIEWER').catch(() => {})
    await it.say(issue, 'What now?', 'ADMIN')
    await it.say(issue, 'Done', 'MEMBER')
    const about = `commented|issue|${issue.identifier} Fix it`
    expect((await told(it, 'MANAGER')).filter((line: string) => line.startsWith('The MEMBER'))).toEqual([
      `The MEMBER|${about}`,
    ])
    expect(await told(it, 'ADMIN')).toEqual([`The MEMBER|${about}`])
    expect(await told(it, 'MEMBER')).toContain(`The ADMIN|${about}`)
    expect(await told(it, 'MEMBER')).not.toContain(`The MEMBER|${about}`)
    expect(await told(it, 'OWNER')).toEqual([])
  })

  it('who is mentioned, by address, by name or by link, once for each comment', async () => {
    const it = await withIssue()
    const issue = await it.open()
    const [admin, viewer, owner] = [it.person('ADMIN'), it.person('VIEWER'), it.person('OWNER')]
    const link = `[@Olga](muster:user/${owner.userId})`
    await it.say(issue, `@${admin.email} and @${viewer.email.split('@')[0]} and ${link} @${admin.email}: look`)
    for (const who of ['ADMIN', 'VIEWER', 'OWNER'] as const)
      expect(await told(it, who)).toEqual([`The MEMBER|mentioned|issue|${issue.identifier} Fix it`])
  })

  it('nobody who is mentioned in code, as another word, or in another workspace', async () => {
    const it = await withIssue()
    const issue = await it.open()
    const [admin, stranger] = [it.person('ADMIN'), it.stranger()]
    await it.say(issue, `\`@${admin.email}\` x@${admin.email} @${stranger.email} [@X](muster:user/${stranger.userId})`)
    expect(await told(it, 'ADMIN')).toEqual([])
    expect(await told(it, stranger)).toEqual([])
  })

  it('who was mentioned in a comment on an issue of theirs only that', async () => {
    const it = await withIssue()
    const issue = await it.open()
    await it.say(issue, `@${it.person('MANAGER').email} please`)
    expect(await told(it, 'MANAGER')).toEqual([`The MEMBER|mentioned|issue|${issue.identifier} Fix it`])
  })

  it('who is added, whose role changes, and who invited somebody that came', async () => {
    const it = await daemon()
    const { workspace } = it
    const stranger = it.stranger()
    const invitation = await it.call('OWNER', 'POST', `/workspaces/${workspace}/invitations`, { email: stranger.email })
    await it.call({ ...stranger, workspace }, 'POST', '/invitations/redeem', { token: invitation.body.token })
    expect(await told(it, 'OWNER')).toEqual(['The OWNER|joined|workspace|Test'])
    const members = (await it.call('OWNER', 'GET', `/workspaces/${workspace}/members`)).body
    const { id } = members.find(({ user_id }: { user_id: string }) => user_id === stranger.userId)
    await it.call('OWNER', 'PATCH', `/workspaces/${workspace}/members/${id}`, { role: 'MANAGER' })
    expect(await told(it, stranger)).toEqual(['The OWNER|role_changed|workspace|Test'])
  })

  it('those who may decide of what waits for approval', async () => {
    const it = await daemon()
    it.person('MEMBER')
    for (const role of ['ADMIN', 'OWNER'] as const) it.person(role)
    const { workspace, app } = it
    app.writeNow(() => openWaitpoint(app, { workspace, kind: 'approval', prompt: 'Go on?\u202e', now: app.now() }))
    expect(await told(it, 'ADMIN')).toEqual(['|approval_requested|waitpoint|Go on?'])
    expect(await told(it, 'OWNER')).toHaveLength(1)
    expect(await told(it, 'MEMBER')).toEqual([])
  })

  it('those who lead what an agent asks people, and who began a run the question that parks it', async () => {
    const it = await agentAtWork()
    it.person('VIEWER')
    await it.ask('/escalate', { reason: 'May I delete it?' })
    expect(await told(it, 'OWNER')).toEqual(['Agent ada|escalated|escalation|May I delete it?'])
    expect(await told(it, 'VIEWER')).toEqual([])
    await it.ask('/ask-human', { question: 'Which database?' })
    expect(await told(it, 'OWNER')).toEqual([
      'Agent ada|asked|inbox_item|Which database?',
      'Agent ada|escalated|escalation|May I delete it?',
    ])
  })

  it('who began a run that it failed', async () => {
    const it = await agentAtWork()
    it.person('ADMIN')
    it.app.writeNow(() =>
      endRun(it.app, it.runId, {
        outcome: 'FAILED',
        agentStatus: 'ERROR',
        exitCode: 1,
        reason: 'No key',
        metadata: {},
        message: null,
        command: null,
        lastFrame: 1,
      }),
    )
    expect(await told(it, 'OWNER')).toEqual(['Agent ada|failed|run|Agent ada: No key'])
    expect(await told(it, 'ADMIN')).toEqual([])
  })
})

/** Somebody with this many notifications, the newest last. */
async function filled(count: number) {
  const it = await withIssue()
  const member = it.person('MEMBER')
  const ids: string[] = []
  for (let at = 0; at < count; at++) {
    await it.open({ title: `Issue ${at}`, assignee_type: 'user', assignee_id: member.userId })
    ids.unshift((await it.call('MEMBER', 'GET', '/notifications?limit=1')).body[0].id)
  }
  return { ...it, member, ids }
}
const idsOf = ({ body }: { body: { id: string }[] }) => body.map(({ id }) => id)

describe('the feed', () => {
  it('lists the newest first, in pages of 50, at most 100', async () => {
    const it = await filled(3)
    expect(idsOf(await it.call('MEMBER', 'GET', '/notifications'))).toEqual(it.ids)
    expect(idsOf(await it.call('MEMBER', 'GET', '/notifications?limit=1&offset=1'))).toEqual([it.ids[1]])
    const insert = it.app.db.prepare(
      `INSERT INTO notifications (id, workspace_id, user_id, actor_type, actor_id, action, entity_type, created_at)
       VALUES (?, ?, ?, 'user', 'gone', 'x', 'y', ?)`,
    )
    for (let at = 0; at < 110; at++) insert.run(newId(it.clock()), it.workspace, it.member.userId, it.app.now())
    const counts = ['', '?limit=100', '?limit=1000', '?limit=0'].map(
      async (query) => idsOf(await it.call('MEMBER', 'GET', `/notifications${query}`)).length,
    )
    expect(await Promise.all(counts)).toEqual([50, 100, 100, 50])
    const [row] = (await it.call('MEMBER', 'GET', '/notifications')).body
    expect(row).not.toHaveProperty('actor_name')
    expect(row).toMatchObject({ entity_id: null, entity_title: null })
  })

  it('counts, and marks as read again and again', async () => {
    const it = await filled(3)
    const [newest, middle] = it.ids
    const count = async () => (await it.call('MEMBER', 'GET', '/notifications/count')).body
    expect(await count()).toEqual({ unread: 3 })
    expect(await it.call('MEMBER', 'POST', `/notifications/${newest}/read`)).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    })
    const [{ read_at }] = (await it.call('MEMBER', 'GET', '/notifications')).body
    it.clock.advance(60_000)
    expect((await it.call('MEMBER', 'POST', `/notifications/${newest}/read`)).status).toBe(200)
    expect((await it.call('MEMBER', 'GET', '/notifications')).body[0].read_at).toBe(read_at)
    expect(await count()).toEqual({ unread: 2 })
    expect(idsOf(await it.call('MEMBER', 'GET', '/notifications?read=true'))).toEqual([newest])
    expect(idsOf(await it.call('MEMBER', 'GET', '/notifications?read=false'))).toEqual(it.ids.slice(1))
    expect((await it.call('MEMBER', 'GET', '/notifications?read=maybe')).body).toMatchObject({
      status: 400,
      code: 'invalid_field',
      field: 'read',
    })
    expect((await it.call('MEMBER', 'POST', '/notifications/read-all')).body).toEqual({ updated: 2 })
    expect((await it.call('MEMBER', 'POST', '/notifications/read-all')).body).toEqual({ updated: 0 })
    expect(await count()).toEqual({ unread: 0 })
    expect((await it.call('MEMBER', 'DELETE', `/notifications/${middle}`)).status).toBe(204)
    expect(idsOf(await it.call('MEMBER', 'GET', '/notifications'))).not.toContain(middle)
  })

  it('is of one person: those of others answer as absent ones', async () => {
    const it = await filled(1)
    const answer = async (method: string, path: string) => {
      const { status, text } = await it.call('OWNER', method, path)
      return { status, text: text.replace(/c[a-z0-9]{24}/g, 'ID') }
    }
    for (const [method, end] of [
      ['POST', '/read'],
      ['DELETE', ''],
    ] as const) {
      const foreign = await answer(method, `/notifications/${it.ids[0]}${end}`)
      expect(foreign).toEqual(await answer(method, `/notifications/cnone00000000000000000000${end}`))
      expect(foreign.status).toBe(404)
    }
    expect((await it.call('OWNER', 'POST', '/notifications/read-all')).body).toEqual({ updated: 0 })
    expect((await it.call('MEMBER', 'GET', '/notifications/count')).body).toEqual({ unread: 1 })
    expect((await it.call('MEMBER', 'DELETE', '/notifications/count')).status).toBe(405)
  })

  it('is broadcast to that person once the change is committed, and not at all when it is not', async () => {
    const it = await withIssue()
    const heard: { channel: string; payload: object }[] = []
    it.app.bus.on('broadcast', ({ channel, type, payload }) => {
      if (type === 'notification.created') heard.push({ channel, payload })
    })
    const member = it.person('MEMBER')
    const body = { title: 'Fix it', assignee_type: 'user', assignee_id: member.userId }
    await it.call('MANAGER', 'POST', `${it.path}?dry_run=true`, body)
    expect(heard).toEqual([])
    expect(await told(it, 'MEMBER')).toEqual([])
    const issue = await it.open(body)
    const [{ id }] = (await it.call('MEMBER', 'GET', '/notifications')).body
    const title = `${issue.identifier} Fix it`
    const payload = { id, action: 'assigned', entity_type: 'issue', entity_id: issue.id, entity_title: title }
    expect(heard).toEqual([{ channel: `user:${member.userId}`, payload }])
  })

  it('keeps nothing of a workspace for those who left it', async () => {
    const it = await filled(2)
    const members = (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)).body
    const { id } = members.find(({ user_id }: { user_id: string }) => user_id === it.member.userId)
    await it.call('OWNER', 'DELETE', `/workspaces/${it.workspace}/members/${id}`)
    expect((await it.call(it.member, 'GET', '/notifications')).body).toEqual([])
  })
})
