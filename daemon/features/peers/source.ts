import { peerWaitsSeconds } from '#contract/peers'
import { quotedLines } from '#kernel/quoted-lines'
import type { RunSource } from '#kernel/runs'
import { ownMessages } from '../runs/messages/service.ts'
import { queries, type Row } from './queries.ts'

/** What the other agent is told. The question is quoted: it must not read as words of Muster. */
const asked = ({ from_name, from_slug, question }: Row): string =>
  [
    `${from_name} (@${from_slug}), an agent of your crew, asks you and waits at most ${peerWaitsSeconds} seconds for ` +
      'what you say last. Answer in a few sentences; begin no other work. The question:',
    '',
    quotedLines(question),
  ].join('\n')

/** Runs that answer a question of another agent: `source_id` is the conversation. */
export const peerSource: RunSource = {
  prompt(app, { source_id }) {
    const row = source_id === null ? undefined : queries(app.db).find.get(source_id)
    if (row?.status !== 'RUNNING') return null
    const metadata = { peer_query_id: row.id, from_slug: row.from_slug }
    return { text: asked(row), history: () => [], shown: { type: 'user_message', content: row.question, metadata } }
  },
  ...ownMessages,
  parent: (app, { id }) => queries(app.db).ofRun.get(id)?.asking_run_id ?? null,
}
