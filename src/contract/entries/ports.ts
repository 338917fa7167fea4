import { Type } from 'typebox'
import { entry } from './define.ts'

const port = {
  port: Type.Integer(),
  protocol: Type.Literal('http'),
  container_id: Type.String(),
  exposure_id: Type.String(),
}

export const portFacts = {
  'network.port_opened': entry(
    'network.port_opened',
    'info',
    Type.Object({
      ...port,
      source: Type.Literal('expose'),
      expires_at: Type.String(),
      description: Type.Optional(Type.String()),
    }),
    (it, { agent }) =>
      `${agent} opened port ${it.port} until ${it.expires_at}${it.description ? `: ${it.description}` : ''}`,
  ),
  'network.port_closed': entry(
    'network.port_closed',
    'info',
    Type.Object({ ...port, source: Type.Enum(['revoked', 'expired']), reason: Type.Optional(Type.String()) }),
    ({ port, source, reason }, { actor }) =>
      source === 'expired'
        ? `The time of port ${port} is over`
        : `Port ${port} was closed by ${actor}${reason ? `: ${reason}` : ''}`,
  ),
}
