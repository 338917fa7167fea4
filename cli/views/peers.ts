import type { Static } from 'typebox'
import type { CrewMessage as MessageSchema, PeerConversation as Schema } from '#contract/peers'
import { age, shortSpan, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const peerConversationView: View<Static<typeof Schema>> = {
  name: ({ id }) => id,
  empty: 'No agent of the crew has asked another one yet.',
  columns: {
    ID: ({ id }) => id,
    FROM: ({ from_slug }) => from_slug,
    TO: ({ to_slug }) => to_slug,
    STATUS: ({ status }) => word(status),
    QUESTION: ({ question }) => firstLine(question),
    ANSWER: ({ response, error }) => firstLine(response ?? error ?? ''),
    TOOK: ({ duration_ms }) => (duration_ms === null ? null : shortSpan(duration_ms / 1000)),
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { RUN: ({ run_id }) => run_id, 'ASKING-RUN': ({ asking_run_id }) => asking_run_id },
}

const firstLine = (text: string): string => text.split('\n')[0]!

export const crewMessageView: View<Static<typeof MessageSchema>> = {
  name: ({ id }) => id,
  empty: 'There are no messages between crews. Next: muster crews connections',
  columns: {
    ID: ({ id }) => id,
    FROM: ({ from_crew_slug }) => from_crew_slug,
    AGENT: ({ from_agent_slug }) => from_agent_slug,
    TO: ({ to_crew_slug }) => to_crew_slug,
    MESSAGE: ({ body }) => firstLine(body),
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { RUN: ({ run_id }) => run_id },
}
