import { expect, it } from 'vitest'
import { daemon } from '#test'

it('count the issues of a project by status, assignee and label', async () => {
  const it = await daemon()
  const make = async (path: string, body: object) => (await it.call('OWNER', 'POST', path, body)).body
  const project = (await make('/projects', { name: 'Relaunch' })).id
  const stats = async () => (await it.call('VIEWER', 'GET', `/projects/${project}/stats`)).body
  expect(await stats()).toEqual({
    total_issues: 0,
    completed_issues: 0,
    by_status: {},
    by_assignee: [],
    by_label: [],
    crews: [],
  })
  const [web, ops] = [
    await make('/crews', { name: 'Web', slug: 'web' }),
    await make('/crews', { name: 'Ops', slug: 'ops' }),
  ]
  const ada = (await make('/agents', { name: 'Ada', slug: 'ada', crew_id: web.id })).id
  const bug = (await make('/labels', { name: 'bug', color: '#123' })).id
  const grace = it.person('MEMBER')
  const open = async (crew: string, body: object, ...ways: string[]) => {
    const { identifier } = await make(`/crews/${crew}/issues`, { title: 'x', project_id: project, ...body })
    for (const status of ways) await it.call('OWNER', 'PATCH', `/crews/${crew}/issues/${identifier}`, { status })
    return identifier
  }
  const hers = { assignee_type: 'agent', assignee_id: ada }
  await open(web.id, { ...hers, labels: [bug] }, 'IN_PROGRESS', 'DONE')
  await open(web.id, hers)
  await open(web.id, { assignee_type: 'user', assignee_id: grace.userId, labels: [bug] })
  await open(web.id, {})
  await open(ops.id, {}, 'TODO')
  await open(ops.id, { project_id: null })
  const counted = {
    total_issues: 5,
    completed_issues: 1,
    by_status: { BACKLOG: 3, DONE: 1, TODO: 1 },
    by_assignee: [
      { agent_id: ada, agent_name: 'Ada', assignee_type: 'agent', total: 2, completed: 1 },
      { agent_id: grace.userId, agent_name: expect.any(String), assignee_type: 'user', total: 1, completed: 0 },
    ],
    by_label: [{ label_name: 'bug', color: '#123', count: 2 }],
    crews: ['Ops', 'Web'],
  }
  expect(await stats()).toEqual(counted)
  await it.call('OWNER', 'DELETE', `/crews/${ops.id}`)
  const { TODO: _, ...by_status } = counted.by_status
  expect(await stats()).toEqual({ ...counted, total_issues: 4, by_status, crews: ['Web'] })
})
