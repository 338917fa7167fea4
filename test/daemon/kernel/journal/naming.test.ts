import { expect, it } from 'vitest'
import { EntryNames } from '#kernel/journal/naming'
import { daemon } from '#test'

/** A daemon with two crews and two agents, and the names that a sentence about them may use. */
async function place() {
  const it = await daemon()
  const crews: string[] = []
  const agents: string[] = []
  for (const name of ['Ada', 'Bob']) {
    const crew = (
      await it.call('OWNER', 'POST', '/crews', { name: `Crew of ${name}`, slug: `crew-${name.toLowerCase()}` })
    ).body.id
    crews.push(crew)
    agents.push((await it.call('OWNER', 'POST', '/agents', { name, slug: name.toLowerCase(), crew_id: crew })).body.id)
  }
  const names = (about: ConstructorParameters<typeof EntryNames>[1]) => new EntryNames(it.app.db, about)
  return { ...it, crews, agents, names }
}

it('names whoever acts, and whom it concerns', async () => {
  const { names, crews, agents, person } = await place()
  const { userId, email } = person('ADMIN')
  const byPerson = names({ actor_type: 'user', actor_id: userId, crew_id: crews[1], agent_id: agents[1] })
  expect([byPerson.actor, byPerson.person, byPerson.agent, byPerson.crew]).toEqual([
    email,
    'The ADMIN',
    'Bob',
    'crew-bob',
  ])
  const byAgent = names({ actor_type: 'agent', actor_id: agents[1], agent_id: agents[0] })
  expect([byAgent.actor, byAgent.person, byAgent.agent]).toEqual(['Bob', 'Bob', 'Ada'])
})

it('calls a person without a name by the address', async () => {
  const { names, app, person } = await place()
  const { userId, email } = person('MEMBER')
  app.db.prepare('UPDATE users SET full_name = NULL WHERE id = ?').run(userId)
  expect(names({ actor_type: 'user', actor_id: userId }).person).toBe(email)
})

it('has words for what is gone, was never there, or is Muster itself', async () => {
  const { names } = await place()
  const gone = { actor_id: 'none', crew_id: 'none', agent_id: 'none' }
  const [byPerson, byAgent] = [names({ actor_type: 'user', ...gone }), names({ actor_type: 'agent', ...gone })]
  expect([byPerson.actor, byPerson.person, byPerson.agent, byPerson.crew]).toEqual([
    'a deleted user',
    'a deleted user',
    'a deleted agent',
    'without a name',
  ])
  expect(byAgent.actor).toBe('a deleted agent')
  const system = names({ actor_type: 'system', actor_id: 'retention' })
  expect([system.actor, system.person, system.agent, system.crew]).toEqual([
    'Muster',
    'Muster',
    'an agent',
    'without a name',
  ])
})
