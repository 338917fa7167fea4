import { Type } from 'typebox'
import { entry } from './define.ts'
import { quoted } from './quote.ts'

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
    ({ port, expires_at, description }, { agent }) =>
      `${agent} opened port ${port} until ${expires_at}${description ? `: ${quoted(description)}` : ''}`,
  ),
  'network.port_closed': entry(
    'network.port_closed',
    'info',
    Type.Object({ ...port, source: Type.Enum(['revoked', 'expired']), reason: Type.Optional(Type.String()) }),
    ({ port, source, reason }, { actor, agent }) =>
      source === 'expired'
        ? `Port ${port} of ${agent} was closed: its time was up`
        : `Port ${port} of ${agent} was closed by ${actor}${reason ? `: ${quoted(reason)}` : ''}`,
  ),
}
