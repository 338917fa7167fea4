import type { App } from '#kernel/app'
import type { AgentSpec } from '#runtime/types'
import { type PlaceRow, queries } from './queries.ts'

const firstUid = 20001

const specOf = ({ agent_id, uid, folder }: PlaceRow): AgentSpec => ({ agentId: agent_id, slug: folder, uid })

/**
 * Gives an agent its uid and folder in a crew, or the ones it already had there. The folder is the slug at that time:
 * it outlives a rename, and an agent that takes over a slug gets a folder of its own.
 */
export function givePlace({ db }: App, crewId: string, agentId: string, slug: string): AgentSpec {
  const known = queries(db).find.get(crewId, agentId)
  if (known) return specOf(known)
  const uid = (queries(db).lastUid.get(crewId)?.uid ?? firstUid - 1) + 1
  const insert = (folder: string) => queries(db).insert.get({ crew_id: crewId, agent_id: agentId, uid, folder })
  const row = insert(slug) ?? insert(`${slug}-${uid}`) ?? insert(`${slug}-${agentId}`)
  if (!row) throw new Error(`No folder is left for agent ${agentId}`)
  return specOf(row)
}

/** Where a live agent runs; null without a crew. */
export function placeOf({ db }: App, agentId: string): { crewId: string; agent: AgentSpec } | null {
  const row = queries(db).current.get(agentId)
  return row ? { crewId: row.crew_id, agent: specOf(row) } : null
}

/** The live agents of a crew, by uid. */
export const placesOf = ({ db }: App, crewId: string): AgentSpec[] => queries(db).ofCrew.all(crewId).map(specOf)

/** Agents that had a place in the crew and left it: deleted, or in another crew now. */
export const departedOf = ({ db }: App, crewId: string): { agent: AgentSpec; deleted: boolean }[] =>
  queries(db)
    .departed.all(crewId)
    .map((row) => ({ agent: specOf(row), deleted: row.deleted === 1 }))
