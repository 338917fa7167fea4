import type { App } from '#kernel/app'
import { queries } from '../queries.ts'
import type { Members, Stored } from '../types.ts'
import { type Hands, type Kind, parsed, reference, rest, without } from './kind.ts'

const policyMembers = ['autonomy_level', 'behavior_mode', 'reason']

/** Sets the policy where it is named: what is left out stays. */
function setPolicy(at: Hands, crewId: string, members: Members, before: Members): void {
  if (!policyMembers.some((name) => members[name] !== undefined)) return
  const { autonomy_level, behavior_mode, reason } = { ...before, ...members }
  at.call('policies.set', { crewId, body: { autonomy_level, behavior_mode, ...(reason ? { reason } : {}) } })
}

export const crew: Kind = {
  stored: ({ db }, workspace) =>
    queries(db)
      .crews.all(workspace)
      .map(({ slug, allowed_domains_json, escalation_config_json, ...row }) => ({
        id: row.id,
        name: String(slug),
        members: {
          ...rest(row),
          allowed_domains: (parsed(allowed_domains_json) as string[]).sort(),
          allow_private_endpoints: row['allow_private_endpoints'] === 1,
          escalation_config: parsed(escalation_config_json),
        },
      })),
  create(at, slug, members) {
    const body = { name: slug, ...without(members, ...policyMembers), slug }
    const id = at.call('crews.create', { body }).id!
    setPolicy(at, id, members, { autonomy_level: 'guided', behavior_mode: 'warn' })
    return id
  },
  change(at, { id, members: before }, members) {
    const body = without(members, ...policyMembers)
    if (Object.keys(body).length) at.call('crews.update', { crewId: id, body })
    setPolicy(at, id, members, before)
  },
  remove: (at, { id }) => void at.call('crews.remove', { crewId: id }),
}

const heldMembers = ['skills', 'env_refs'] as const

function namesBy(rows: { agent_id: string; name: string }[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const { agent_id, name } of rows) found.set(agent_id, [...(found.get(agent_id) ?? []), name])
  return found
}

function storedAgents({ db }: App, workspace: string): Stored[] {
  const skills = namesBy(queries(db).agentSkills.all(workspace))
  const credentials = namesBy(queries(db).agentCredentials.all(workspace))
  return queries(db)
    .agents.all(workspace)
    .map(({ slug, ...row }) => ({
      id: row.id,
      name: String(slug),
      members: {
        ...rest(row),
        memory_enabled: row['memory_enabled'] === 1,
        schedule_enabled: row['schedule_enabled'] === 1,
        webhook_require_timestamp: row['webhook_require_timestamp'] === 1,
        skills: skills.get(row.id) ?? [],
        env_refs: credentials.get(row.id) ?? [],
      },
    }))
}

const agentBody = (at: Hands, members: Members): Members => ({
  ...without(members, 'crew', ...heldMembers),
  ...reference(at, members, { member: 'crew', kind: 'Crew', as: 'crew_id' }),
})

/** Gives an agent what it is to have, and takes back the rest. */
function give(at: Hands, agentId: string, members: Members, before: Members): void {
  const differs = (name: (typeof heldMembers)[number]) => {
    const [had, has] = [before[name], members[name]].map((it) => (it as string[] | undefined) ?? [])
    if (members[name] === undefined) return { added: [], dropped: [] }
    return { added: has!.filter((it) => !had!.includes(it)), dropped: had!.filter((it) => !has!.includes(it)) }
  }
  const skills = differs('skills')
  for (const name of skills.dropped) at.call('skills.unassign', { agentId, skillId: at.held(agentId, 'Skill', name) })
  for (const name of skills.added)
    at.call('skills.assign', { agentId, body: { skill_id: at.id('Skill', name, 'skills') } })
  const variables = differs('env_refs')
  for (const name of variables.dropped)
    at.call('credentials.unassign', { agentId, assignmentId: at.held(agentId, 'Credential', name) })
  for (const name of variables.added) {
    const body = { credential_id: at.id('Credential', name, 'env_refs'), env_var_name: name }
    at.call('credentials.assign', { agentId, body })
  }
}

export const agent: Kind = {
  stored: storedAgents,
  create(at, slug, members) {
    const id = at.call('agents.create', { body: { name: slug, ...agentBody(at, members), slug } }).id!
    give(at, id, members, {})
    return id
  },
  change(at, { id, members: before }, members) {
    const body = agentBody(at, members)
    if (Object.keys(body).length) at.call('agents.update', { agentId: id, body })
    give(at, id, members, before)
  },
  remove: (at, { id }) => void at.call('agents.remove', { agentId: id }),
}

/** What documents alone say of a credential. */
const notStored = ['help_url', 'required']

const reach = (at: Hands, members: Members): Members => {
  const crews = members['crews'] as string[] | null | undefined
  if (crews === undefined) return {}
  if (crews === null) return { scope: 'WORKSPACE', crew_ids: [] }
  return { scope: 'CREW', crew_ids: crews.map((name) => at.id('Crew', name, 'crews')) }
}

const credentialBody = (at: Hands, members: Members): Members => ({
  ...without(members, 'crews', ...notStored),
  ...reach(at, members),
})

export const credential: Kind = {
  stored: ({ db }, workspace) =>
    queries(db)
      .credentials.all(workspace)
      .map(({ name, scope, crews_json, ...row }) => ({
        id: row.id,
        name: String(name),
        members: {
          ...rest(row),
          crews: scope === 'WORKSPACE' ? null : (JSON.parse(String(crews_json)) as string[]).sort(),
        },
      })),
  create(at, name, members) {
    const body = { ...credentialBody(at, members), name, value: at.value(name) }
    return at.call('credentials.create', { body }).id!
  },
  change: (at, { id }, members) =>
    void at.call('credentials.update', { credentialId: id, body: credentialBody(at, members) }),
}
