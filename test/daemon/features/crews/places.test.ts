import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { departedOf, givePlace, placeOf, placesOf } from '../../../../daemon/features/crews/places/service.ts'

async function place() {
  const it = await daemon()
  const make = async (path: string, slug: string, more = {}) =>
    (await it.call('OWNER', 'POST', path, { name: slug, slug, ...more })).body.id as string
  return {
    ...it,
    crew: (slug: string) => make('/crews', slug),
    agent: (slug: string, crew_id: string) => make('/agents', slug, { crew_id }),
    change: (id: string, body: object) => it.call('OWNER', 'PATCH', `/agents/${id}`, body),
    remove: (id: string) => it.call('OWNER', 'DELETE', `/agents/${id}`),
  }
}

describe('the place of an agent in its crew', () => {
  it('is a uid and a folder that no other agent of the crew ever gets', async () => {
    const it = await place()
    const crewId = await it.crew('backend')
    const ada = await it.agent('ada', crewId)
    const grace = await it.agent('grace', crewId)
    expect(placesOf(it.app, crewId)).toEqual([
      { agentId: ada, slug: 'ada', uid: 20001 },
      { agentId: grace, slug: 'grace', uid: 20002 },
    ])
    await it.remove(ada)
    expect(placeOf(it.app, ada)).toBe(null)
    const again = await it.agent('ada', crewId)
    expect(placeOf(it.app, again), 'what the deleted agent left behind stays out of reach').toEqual({
      crewId,
      agent: { agentId: again, slug: 'ada-20003', uid: 20003 },
    })
    expect(placesOf(it.app, crewId).map(({ agentId }) => agentId)).toEqual([grace, again])
  })

  it('outlives a new slug and a visit to another crew', async () => {
    const it = await place()
    const [one, two] = [await it.crew('one'), await it.crew('two')]
    const id = await it.agent('ada', one)
    await it.change(id, { slug: 'grace' })
    expect(placeOf(it.app, id)).toEqual({ crewId: one, agent: { agentId: id, slug: 'ada', uid: 20001 } })
    await it.change(id, { crew_id: two })
    expect(placeOf(it.app, id)).toEqual({ crewId: two, agent: { agentId: id, slug: 'grace', uid: 20001 } })
    expect(placesOf(it.app, one)).toEqual([])
    await it.agent('joan', one)
    await it.change(id, { crew_id: one })
    expect(placesOf(it.app, one).map(({ slug, uid }) => [slug, uid])).toEqual([
      ['ada', 20001],
      ['joan', 20002],
    ])
    await it.change(id, { crew_id: '' })
    expect(placeOf(it.app, id)).toBe(null)
  })

  it('is the one that the agent was given before', async () => {
    const it = await place()
    const crewId = await it.crew('one')
    const [ada, joan] = [await it.agent('ada', crewId), await it.agent('joan', crewId)]
    const give = (agent: string) => it.app.writeNow(() => givePlace(it.app, crewId, agent, 'other'))
    expect(give(joan)).toEqual({ agentId: joan, slug: 'joan', uid: 20002 })
    expect(give(ada)).toEqual({ agentId: ada, slug: 'ada', uid: 20001 })
  })

  it('has a folder of its own even where the slug with the uid is taken as well', async () => {
    const it = await place()
    const crewId = await it.crew('one')
    await it.remove(await it.agent('ada', crewId))
    await it.agent('ada-20003', crewId)
    const third = await it.agent('ada', crewId)
    expect(placeOf(it.app, third)?.agent).toEqual({ agentId: third, slug: `ada-${third}`, uid: 20003 })
  })
})

describe('agents that left a crew', () => {
  it('are those who are deleted or elsewhere now, each by uid', async () => {
    const it = await place()
    const [one, two] = [await it.crew('one'), await it.crew('two')]
    const [gone, moved] = [await it.agent('gone', one), await it.agent('moved', one)]
    await it.agent('stays', one)
    expect(departedOf(it.app, one)).toEqual([])
    await it.change(moved, { crew_id: two })
    await it.remove(gone)
    expect(departedOf(it.app, one)).toEqual([
      { agent: { agentId: gone, slug: 'gone', uid: 20001 }, deleted: true },
      { agent: { agentId: moved, slug: 'moved', uid: 20002 }, deleted: false },
    ])
    expect(departedOf(it.app, two)).toEqual([])
  })
})
