import { Args, Flags } from '@oclif/core'
import type { Client } from '#client'
import { notificationCategories, notificationPriorities } from '#client/words'
import { oneOf } from '../flags.ts'
import { find } from '../lookup/find.ts'
import type { Channel } from '../views/channels.ts'

export const channelArg = {
  channel: Args.string({ required: true, description: 'channel, as `muster channels` shows it, or its service' }),
}

/** Flags that say what a channel takes. */
export const takingFlags = {
  category: Flags.option({
    options: notificationCategories,
    multiple: true,
    description: 'only what is in this category; may be repeated',
  })(),
  'min-priority': oneOf(notificationPriorities, { description: 'nothing below this' }),
  event: Flags.string({
    multiple: true,
    helpValue: 'completed|failed|all',
    helpGroup: 'MORE',
    description: 'ends of runs of routines that every such run tells; failed unless given',
  }),
}

/** Id of the channel that is called by its id, a part of it, or its service where there is one of that kind. */
export const channelId = (api: Client, name: string): Promise<string> =>
  find<Channel>(
    {
      noun: 'channel',
      next: 'muster channels list',
      rows: async ({ offset }) => (offset ? [] : (await api.channels.list({ query: {} })).channels),
      names: ({ type, provider }) => [provider ?? type],
    },
    name,
  )

/** What people call it. */
export const called = ({ id, type, provider }: Pick<Channel, 'id' | 'type' | 'provider'>): string =>
  `${provider ?? type} (${id})`
