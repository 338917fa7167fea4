import { Type } from 'typebox'
import { del, get } from './define.ts'
import { Id, Time } from './fields.ts'

const Peer = {
  user_id: Id,
  user_slug: Type.String({ description: 'Name of the card among the files of the agent' }),
  bytes: Type.Integer(),
}

/** What agents keep about the people they work with. */
export const agentPeers = {
  peers: get('/agents/:agentId/peers', {
    summary: 'List the people about whom an agent keeps a card',
    access: 'VIEWER',
    reply: Type.Object({
      agent_id: Id,
      peers: Type.Array(Type.Object({ id: Id, ...Peer, created_at: Time, updated_at: Time })),
    }),
    throws: ['not_found', 'agent_crewless'],
  }),
  peer: get('/agents/:agentId/peers/:userId', {
    summary: 'Show the card that an agent keeps about a person',
    access: 'VIEWER',
    reply: Type.Object({ agent_id: Id, ...Peer, content: Type.String() }),
    journal: ['peer.card_read'],
    throws: ['not_found'],
  }),
  removePeer: del('/agents/:agentId/peers/:userId', {
    summary: 'Delete the card that an agent keeps about a person: for that person, and for those who manage agents',
    access: 'VIEWER',
    crew: 'agentId',
    scope: 'agents:write',
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
}
