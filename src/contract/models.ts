import { Type } from 'typebox'
import { listedProviders } from './agents.ts'
import { get } from './define.ts'

const Model = Type.Object({
  id: Type.String({ description: "What an agent's llm_model takes" }),
  display_name: Type.Optional(Type.String()),
  provider: Type.String({ description: 'In lower case' }),
})

export const models = {
  list: get('/models', {
    summary: 'List the models of a provider',
    access: 'VIEWER',
    query: Type.Object({
      provider: Type.String({
        description: `${listedProviders.join(', ')}; in any case`,
        examples: [...listedProviders],
      }),
    }),
    reply: Type.Object({
      provider: Type.Enum(listedProviders),
      source: Type.Enum(['live', 'curated'], { description: 'live: as the provider itself lists them' }),
      models: Type.Array(Model, { description: 'Most capable first, where the list is curated' }),
    }),
    throws: ['models_unreachable'],
  }),
}
