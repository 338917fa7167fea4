import type { App } from '#kernel/app'
import { isObject } from '#kernel/http/json-bounds'
import type { Destination } from '#kernel/outbound/destinations'
import { problem } from '#kernel/problem'
import { agentById } from '../features/agents/service.ts'
import { deliveryOf } from '../features/credentials/delivery/service.ts'
import { wish } from '../features/credentials/questions/service.ts'
import { countUse } from '../features/credentials/scopes/service.ts'
import { workingOfAgent } from '../features/runs/service.ts'
import type { SidecarAnswer, SidecarCall, SidecarReport } from './types.ts'

/** Answers a sidecar whether an agent's model key may be used outside of the scopes that the sidecar knows. */
export async function answerUse(app: App, crewId: string, { agentId, body }: SidecarCall): Promise<SidecarAnswer> {
  const agent = agentById(app, agentId)
  if (!agent || agent.crew_id !== crewId || !isObject(body)) throw problem('not_found')
  const { credential_id: credential, host, method, path } = body as Partial<Destination> & { credential_id?: unknown }
  const isPlace = [host, method, path].every((it) => typeof it === 'string')
  if (typeof credential !== 'string' || !isPlace) throw problem('invalid_json')
  if (!deliveryOf(app, agentId).models.some(({ credentialId }) => credentialId === credential))
    throw problem('not_found', { detail: 'The agent has no such credential any more' })
  const working = workingOfAgent(app, agentId)
  const asked = {
    workspace: agent.workspace_id,
    credential,
    to: { host, method, path } as Destination,
    agent: agentId,
    asker: { id: agentId, name: agent.name },
    crew: crewId,
    run: working.length === 1 ? working[0]!.id : null,
  }
  // The sidecar reports the use itself once it sends the call.
  const permission = await app.write(() => wish(app, asked, 0))
  return { status: 200, body: permission }
}

/** Counts what a sidecar put a credential into requests for, as far as the credential is there. */
export function keepUse(
  app: App,
  { agentId, credentialId, uses, host, method, path }: Extract<SidecarReport, { type: 'credential_used' }>,
): void {
  const agent = agentById(app, agentId)
  if (agent) countUse(app, { workspace: agent.workspace_id, credential: credentialId }, { host, method, path }, uses)
}
