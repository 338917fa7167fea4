import type { Client } from '#client'
import { isWholeId } from '../output/short-id.ts'
import { find } from './find.ts'

/** Id of a person about whom an agent keeps a card, given by a part of it or by address. */
export const peerId = async (api: Client, workspaceId: string, agentId: string, user: string): Promise<string> =>
  isWholeId(user)
    ? user
    : find(
        {
          noun: 'card',
          next: 'muster agents peers list AGENT',
          rows: async ({ offset }) => {
            if (offset) return []
            const { peers } = await api.agents.peers({ agentId })
            const people = await api.members.list({ workspaceId, query: { limit: 500 } })
            const emails = new Map(people.map(({ user: { id, email } }) => [id, email]))
            return peers.map(({ user_id }) => ({ id: user_id, email: emails.get(user_id) ?? user_id }))
          },
          names: ({ email }) => [email],
        },
        user.toLowerCase(),
      )
