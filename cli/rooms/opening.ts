import { randomUUID } from 'node:crypto'
import { Flags } from '@oclif/core'
import type { Client } from '#client'
import { roomKinds } from '#client/words'
import { type Session, workspaceInUse } from '../contexts/session.ts'
import { agentId, userId } from '../lookup.ts'

export const clientIdFlag = {
  'client-id': Flags.string({
    helpValue: 'ID',
    helpGroup: 'MORE',
    description: 'id of this request: sent again with the same one, it is done once (default: a new one)',
  }),
}

export const openingFlags = {
  member: Flags.string({ multiple: true, helpValue: 'PERSON', description: 'email or id of a member; repeat it' }),
  agent: Flags.string({ description: 'slug or id of the agent of a channel' }),
  ...clientIdFlag,
}

export const clientIdOf = (flags: { 'client-id'?: string | undefined }): string => flags['client-id'] ?? randomUUID()

/** The room that flags describe. */
export async function roomGiven(
  api: Client,
  session: Session,
  title: string,
  flags: { member?: string[] | undefined; agent?: string | undefined; 'client-id'?: string | undefined },
) {
  const { member = [], agent } = flags
  const workspace = member.length ? workspaceInUse(session) : ''
  const member_ids: string[] = []
  for (const person of member) member_ids.push(await userId(api, workspace, person))
  const agent_id = agent === undefined ? {} : { agent_id: await agentId(api, agent) }
  return { kind: roomKinds[agent === undefined ? 0 : 1], title, member_ids, ...agent_id, client_id: clientIdOf(flags) }
}
