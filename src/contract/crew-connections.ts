import { Type } from 'typebox'
import { del, get, post } from './define.ts'
import { Id, page, prose, Ref, Time } from './fields.ts'

export const connectionDirections = ['bidirectional', 'unidirectional'] as const
export type ConnectionDirection = (typeof connectionDirections)[number]
export const connectionStatuses = ['ACTIVE', 'PENDING_REVIEW'] as const
export type ConnectionStatus = (typeof connectionStatuses)[number]

/** That crews may hand work to each other. docs/rules/peers.md, "Connections". */
export const CrewConnection = Type.Object({
  id: Id,
  from_crew_id: Id,
  to_crew_id: Id,
  direction: Type.Enum([...connectionDirections], {
    description: 'unidirectional: only the first crew hands work to the second',
  }),
  status: Type.Enum([...connectionStatuses], {
    description: 'PENDING_REVIEW: an agent asked for it; it has no effect until people approve it',
  }),
  created_at: Time,
  from_crew_name: Type.String(),
  from_crew_slug: Type.String(),
  to_crew_name: Type.String(),
  to_crew_slug: Type.String(),
})

/** The part of the crews' interface that concerns work between them. */
export const crewConnections = {
  connections: get('/crew-connections', {
    summary: 'List the connections of crews, newest first',
    access: 'MANAGER',
    query: Type.Object(page),
    reply: Type.Array(CrewConnection),
  }),
  connect: post('/crew-connections', {
    summary: 'Let crews hand work to each other, or change how they do',
    access: 'MANAGER',
    scope: 'crews:write',
    body: Type.Object({
      from_crew_id: Id,
      to_crew_id: Id,
      direction: Type.Optional(Type.Enum([...connectionDirections], { default: 'bidirectional' })),
    }),
    repeatable: true,
    reply: CrewConnection,
    journal: ['audit.entity_created', 'audit.entity_updated'],
    throws: ['not_found'],
  }),
  disconnect: del('/crew-connections/:connectionId', {
    summary: 'Remove the connection of two crews; work that was handed over goes on',
    access: 'MANAGER',
    scope: 'crews:write',
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
}

const Caller = { workspace_id: Ref, crew_id: Ref, agent_id: Ref }

/** The agents' side, for the connections of their own crew. */
export const agentConnections = {
  connectedCrews: post('/internal/crew-connections/list', {
    summary: 'List the crews that an agent’s crew is connected with, and their agents',
    access: 'internal',
    agent: {
      route: '/crew-connections/list',
      tool: 'crew_connections',
      says:
        'List the crews that yours is connected with: whether you may hand work and messages to them (may_send), ' +
        'whether people have approved it yet (status), and the agents that they have.',
    },
    status: 200,
    body: Type.Object(Caller),
    reply: Type.Object({
      crews: Type.Array(
        Type.Object({
          slug: Type.String(),
          name: Type.String(),
          status: Type.Enum([...connectionStatuses]),
          may_send: Type.Boolean(),
          may_receive: Type.Boolean(),
          agents: Type.Array(
            Type.Object({
              slug: Type.String(),
              name: Type.String(),
              role_title: Type.Union([Type.String(), Type.Null()]),
            }),
          ),
        }),
      ),
    }),
    journal: false,
    throws: ['not_found'],
  }),
  proposeConnection: post('/internal/crew-connections', {
    summary: 'Ask people to connect the crew of a LEAD with another one',
    access: 'internal',
    held: true,
    agent: {
      route: '/crew-connections',
      tool: 'connect_crew',
      says:
        'For the LEAD of a crew alone: ask people to let your crew hand work and messages to another one. It waits ' +
        'until they approve it (PENDING_REVIEW); crews that are connected already stay as they are.',
      members: {
        to_crew: 'Slug of the other crew',
        direction: 'bidirectional unless stated; unidirectional: only your crew hands work to the other',
        reason: 'Why your crew needs it; people decide by this, so always say it',
      },
      rate: { agent: 10, crew: 20 },
    },
    body: Type.Object({
      ...Caller,
      to_crew: Type.String({ maxLength: 64, description: 'slug or id' }),
      direction: Type.Optional(Type.Enum([...connectionDirections], { default: 'bidirectional' })),
      reason: Type.Optional(prose(4000)),
    }),
    reply: Type.Object({
      id: Id,
      to_crew: Type.String(),
      direction: Type.Enum([...connectionDirections]),
      status: Type.Enum([...connectionStatuses]),
      approval_id: Type.Optional(Id),
    }),
    journal: ['audit.entity_created', 'approval.requested'],
    throws: ['not_found', 'not_the_lead', 'rate_limited'],
  }),
}
