import { Type } from 'typebox'
import { entry } from './define.ts'
import { named, quoted } from './quote.ts'

const text = Type.Optional(Type.String())

const Conversation = Type.Object({
  message_type: Type.Literal('query'),
  state: Type.Enum(['running', 'completed', 'failed', 'refused']),
  question: Type.String(),
  response: text,
  error: text,
  from_slug: Type.String(),
  target_slug: Type.String(),
  target_name: Type.String(),
  duration_ms: Type.Optional(Type.Integer()),
  thread_id: Type.Optional(Type.String({ description: 'The run that asks' })),
})

export const peerFacts = {
  'peer.conversation': entry('peer.conversation', 'info', Conversation, (it, { agent }) => {
    const other = named(it.target_name)
    if (it.state === 'running') return `${agent} asks ${other}: ${quoted(it.question)}`
    if (it.state === 'completed') return `${other} answered ${agent}: ${quoted(it.response ?? '')}`
    const why = quoted(it.error ?? '')
    return it.state === 'refused'
      ? `${agent} may not ask ${other}: ${why}`
      : `${agent} got no answer from ${other}: ${why}`
  }),
  'message.broadcast': entry(
    'message.broadcast',
    'info',
    Type.Object({
      message_id: Type.String(),
      from_crew_id: Type.String(),
      from_crew_slug: Type.String(),
      to_crew_id: Type.String(),
      to_crew_slug: Type.String(),
      body: Type.String(),
    }),
    ({ to_crew_slug, body }, { agent }) => `${agent} told crew ${to_crew_slug}: ${quoted(body)}`,
  ),
}
