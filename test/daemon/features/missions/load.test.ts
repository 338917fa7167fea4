import { expect, it } from 'vitest'
import { crewWithLead, mission, says, start } from '../../../support/missions.ts'

it('the load of agents counts their tasks in missions, those without an agent as the LEAD’s', async () => {
  const it = await crewWithLead()
  const load = async () =>
    (await it.call('VIEWER', 'GET', '/agent-load')).body.map(
      ({ agent_slug, active_tasks, pending_tasks, completed_today }: Record<string, unknown>) =>
        [agent_slug, active_tasks, pending_tasks, completed_today].join(' '),
    )
  const id = await mission(it, [
    { key: 'a', title: 'Look', assigned_agent_id: it.bob },
    { key: 'b', title: 'Build', depends_on: ['a'] },
    { key: 'c', title: 'Tell', depends_on: ['b'] },
  ])
  expect(await load()).toEqual(['ada 0 2 0', 'bob 0 1 0', 'cleo 0 0 0'])
  await start(it, id)
  expect(await load()).toEqual(['bob 1 0 0', 'ada 0 2 0', 'cleo 0 0 0'])
  await says(it, id, 'Look', 'Seen')
  const [first, ...others] = await load()
  expect([first, ...others.sort()]).toEqual(['ada 1 1 0', 'bob 0 0 1', 'cleo 0 0 0'])
  await it.call('OWNER', 'PATCH', `/crews/${it.crewId}/missions/${id}`, { status: 'CANCELLED' })
  expect((await load()).find((line: string) => line.startsWith('ada'))).toBe('ada 0 0 0')
})
