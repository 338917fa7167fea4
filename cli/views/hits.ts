import type { chatSearch } from '#contract/chat-search'
import type { Reply } from '#contract/define'
import { beginning, type Excerpt, excerptOf } from '../chat/excerpt.ts'
import { age, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export type Hit = Reply<typeof chatSearch.search>['hits'][number]

/** The words in their context, in the message or in what its tools did. */
export const contextOf = ({ content, tool_summary = '' }: Hit, query: string): Excerpt =>
  excerptOf(content, query) ?? excerptOf(tool_summary, query) ?? { before: beginning(content), words: '', after: '' }

/** Who speaks: people, or the agent by its name. */
export const speaker = ({ role, agent_slug }: Hit): string => (role === 'assistant' ? agent_slug : role)

export const hitView = (query: string): View<Hit> => ({
  name: ({ id }) => id,
  empty: 'No message has these words one after the other; fewer words find more',
  columns: {
    ID: ({ id }) => id,
    AGENT: ({ agent_slug }) => agent_slug,
    WHO: (hit) => word(speaker(hit)),
    TEXT: (hit) => Object.values(contextOf(hit, query)).join(''),
    CHAT: ({ session_id }) => session_id,
    AGE: ({ ts }) => age(ts),
  },
})
