import type { Static } from 'typebox'
import type { channels, Channel as Schema } from '#contract/channels'
import type { Reply } from '#contract/define'
import { age } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export type Channel = Static<typeof Schema>

export const channelView: View<Channel> = {
  name: ({ id }) => id,
  empty: 'There are no channels. Next: muster channels create email --personal',
  columns: {
    ID: ({ id }) => id,
    KIND: ({ provider, type }) => provider ?? type,
    FOR: ({ scope }) => scope && { text: scope === 'user' ? 'one person' : 'workspace', value: scope },
    TO: ({ to, url }) => to ?? url,
    CATEGORIES: ({ categories }) => categories?.join(' ') ?? { text: 'all', value: null },
    FROM: ({ min_priority }) => min_priority,
    ENABLED: ({ enabled }) => enabled,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: {
    EVENTS: ({ events }) => events?.join(' '),
    OWNER: ({ owner_user_id }) => owner_user_id,
  },
}

type Provider = Reply<typeof channels.providers>['providers'][number]

export const providerView: View<Provider> = {
  name: ({ provider }) => provider,
  columns: {
    NAME: ({ provider }) => provider,
    SERVICE: ({ label }) => label,
    KIND: ({ category }) => category,
    FIELDS: ({ fields }) => fields?.map(({ key, required }) => (required ? key : `[${key}]`)).join(' '),
    ENABLED: ({ enabled }) => enabled,
  },
}

type Grant = Reply<typeof channels.agents>['agents'][number]

export const channelAgentView: View<Grant> = {
  name: ({ agent_slug, agent_id }) => agent_slug ?? agent_id,
  empty: 'No agent may send through it. Next: muster channels allow CHANNEL AGENT',
  columns: {
    NAME: ({ agent_name }) => agent_name,
    SLUG: ({ agent_slug }) => agent_slug,
    AGE: ({ created_at }) => age(created_at),
  },
}

type OfAgent = Reply<typeof channels.ofAgent>['channels'][number]

export const agentChannelView: View<OfAgent> = {
  name: ({ id }) => id,
  empty: 'The agent may send through no channel.',
  columns: {
    ID: ({ id }) => id,
    KIND: ({ provider, type }) => provider ?? type,
    ENABLED: ({ enabled }) => enabled,
  },
}
