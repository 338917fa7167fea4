import { Type } from 'typebox'
import { Receipt } from '../asks.ts'
import { audit } from './define.ts'
import { quoted } from './quote.ts'

const Acted = Type.Object({
  ...Receipt.properties,
  question: Type.String(),
  input: Type.Optional(Type.String({ description: 'the answer' })),
})

export const askFacts = {
  'inbox_item.acted': audit(
    'audit.entity_updated',
    'inbox_item',
    Acted,
    ({ metadata }, { actor, agent }) => {
      const { action = 'dismiss', question = '', input = '' } = metadata ?? {}
      if (action === 'answer') return `${actor} answered ${agent}'s question: ${quoted(input)}`
      return action === 'take_over'
        ? `${actor} took over from ${agent}, who asked: ${quoted(question)}`
        : `${actor} dismissed ${agent}'s question: ${quoted(question)}`
    },
    { action: 'inbox_acted' },
  ),
}
