import { Type } from 'typebox'
import { audit, entry } from './define.ts'
import { quoted } from './quote.ts'

const Layer = Type.Enum(['agent', 'crew'])
const Written = Type.Object({
  layer: Layer,
  sha256: Type.String(),
  bytes: Type.Integer(),
  suggestion: Type.Optional(Type.String({ description: 'Id of the suggestion that was taken' })),
})
/** How the crew's policy judged the change, where an agent made it. The policy simulator reads it. */
const byPolicy = {
  policy_action: Type.Optional(Type.Literal('persona_suggest')),
  policy_verdict: Type.Optional(Type.Literal('journal')),
}
const Suggested = Type.Object({
  agent_id: Type.String(),
  bytes: Type.Integer(),
  rationale: Type.Optional(Type.String()),
})
const Ended = Type.Object({
  agent_id: Type.String(),
  outcome: Type.Enum(['approved', 'denied', 'cancelled']),
  comment: Type.Optional(Type.String()),
})
const Learning = Type.Object({
  changed: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  reason: Type.String(),
})
const Card = Type.Object({ agent_id: Type.String(), user_id: Type.String() })

const whose = (layer: 'agent' | 'crew', { agent, crew }: { agent: string; crew: string }) =>
  layer === 'agent' ? `The persona of agent ${agent}` : `The persona of crew ${crew}`

export const personaFacts = {
  'persona.updated': audit(
    'audit.entity_updated',
    'persona',
    Written,
    ({ metadata: { layer } }, names) => `${whose(layer, names)} was written by ${names.actor}`,
    { more: byPolicy },
  ),
  'persona.deleted': audit(
    'audit.entity_deleted',
    'persona',
    Type.Object({ layer: Layer }),
    ({ metadata: { layer } }, names) => `${whose(layer, names)} was removed by ${names.actor}`,
  ),
  'persona.suggested': audit(
    'audit.entity_created',
    'persona_suggestion',
    Suggested,
    ({ metadata: { rationale } }, { actor, agent }) =>
      `${actor} suggests another persona for agent ${agent}${rationale ? `: ${quoted(rationale)}` : ''}`,
    { action: 'persona.suggest_pending' },
  ),
  'persona.suggestion_settled': audit(
    'audit.entity_updated',
    'persona_suggestion',
    Ended,
    ({ metadata: { outcome, comment } }, { actor, agent }) => {
      const what = `the persona that was suggested for agent ${agent}`
      if (outcome === 'cancelled') return `A suggestion of a persona for agent ${agent} was withdrawn`
      return `${actor} ${outcome} ${what}${comment ? `, saying ${quoted(comment)}` : ''}`
    },
  ),
  'agent.learning_set': audit(
    'audit.entity_updated',
    'agent',
    Learning,
    ({ metadata: { enabled, reason } }, { actor, agent }) =>
      `${actor} ${enabled ? 'lets' : 'does not let'} agent ${agent} change itself: ${quoted(reason)}`,
  ),
  'peer_card.read': entry(
    'peer.card_read',
    'notice',
    Card,
    (_, { actor, agent }) => `${actor} read what agent ${agent} keeps about a person`,
  ),
  'peer_card.deleted': audit(
    'audit.entity_deleted',
    'peer_card',
    Card,
    (_, { actor, agent }) => `${actor} deleted what agent ${agent} keeps about a person`,
  ),
}
