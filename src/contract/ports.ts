import { Type } from 'typebox'
import { get, post } from './define.ts'
import { Id, line, nullable, page, Ref, Time } from './fields.ts'

export const portStatuses = ['PENDING', 'ACTIVE', 'REVOKED', 'EXPIRED'] as const
export type PortStatus = (typeof portStatuses)[number]

/** What a list may be asked for. */
export const portFilters = ['active', 'revoked', 'expired', 'all'] as const

/** Seconds that an exposure lasts when nobody says, and at most. */
export const exposureSeconds = { usual: 3600, most: 86_400 } as const
/** Open exposures at the same time. */
export const exposureQuota = { agent: 5, workspace: 20 } as const
export const reasonLength = 500

/**
 * A port of a crew that is, or was, open to whoever has its URL. docs/rules/ports.md. Never its token.
 */
export const PortExposure = Type.Object({
  id: Id,
  agent_id: Id,
  agent_slug: Type.String(),
  container_port: Type.Integer(),
  description: Type.Optional(Type.String()),
  status: Type.Enum([...portStatuses]),
  created_at: Time,
  expires_at: Time,
  revoked_at: Type.Optional(Time),
  revoked_reason: Type.Optional(Type.String()),
})

/** Ports of crews, opened to people by URLs that are valid for a while. docs/rules/ports.md. */
export const ports = {
  list: get('/crews/:crewId/port-expose', {
    summary: 'List the ports that agents of a crew have opened, newest first',
    access: 'VIEWER',
    query: Type.Object({ status: Type.Optional(Type.Enum([...portFilters])), ...page }),
    reply: Type.Array(PortExposure),
    throws: ['not_found'],
  }),
  revoke: post('/crews/:crewId/port-expose/:exposureId/revoke', {
    summary: 'Close a port that an agent has opened',
    access: 'MANAGER',
    crew: 'crewId',
    scope: 'crews:write',
    status: 200,
    bodyOptional: true,
    malformed: 'ignore',
    // The length is looked at by the service: a reason that is too long is refused, a body that is none at all is not.
    body: Type.Object({
      reason: Type.Optional(nullable(Type.String({ description: `at most ${reasonLength} characters` }))),
    }),
    reply: Type.Object({ status: Type.Enum(['revoked']) }),
    journal: ['network.port_closed'],
    throws: ['not_found', 'exposure_ended', 'invalid_field'],
  }),
  /** An agent opens a port. The answer is the only place where the token ever stands. */
  expose: post('/internal/port-expose', {
    summary: 'Open a port of a crew by a URL that is valid for a while',
    access: 'internal',
    agent: {
      route: '/expose-port',
      tool: 'expose_port',
      says:
        'Show people what you have built: open a port of your crew by a URL that is valid for a while. Start the ' +
        'server first, so that it outlives you (setsid -f COMMAND), listening on 127.0.0.1. Give the url of the ' +
        'result to the people; whoever has it sees the page. It runs in a sandbox without cookies, storage and ' +
        'WebSockets; link with relative paths.',
      members: {
        port: 'The port on which your server listens',
        description: 'What is to be seen there, in a few words',
        ttl_seconds: `How long it is open, 1 to ${exposureSeconds.most}; an hour unless stated`,
      },
      rate: { agent: 10, crew: 40 },
    },
    body: Type.Object({
      workspace_id: Ref,
      crew_id: Ref,
      agent_id: Ref,
      container_id: Type.String({ minLength: 1, maxLength: 200 }),
      port: Type.Integer({ minimum: 1, maximum: 65535 }),
      description: Type.Optional(nullable(line(200))),
      ttl_seconds: Type.Optional(
        nullable(
          Type.Integer({
            description: `${exposureSeconds.usual} when absent or 0; at least 1, at most ${exposureSeconds.most}`,
          }),
        ),
      ),
      chat_id: Type.Optional(nullable(Ref)),
      call_id: Type.Optional(nullable(Type.String({ maxLength: 200 }))),
    }),
    reply: Type.Object({ id: Id, token: Type.String(), url: Type.String(), expires_at: Time }),
    journal: ['network.port_opened'],
    throws: [
      'not_found',
      'outside_crew',
      'exposure_quota',
      'container_unreachable',
      'unavailable',
      'invalid_field',
      'exposure_ended',
    ],
  }),
}
