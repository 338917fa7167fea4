import { type Choice, declareKind } from '../decisions/service.ts'

const choices: readonly Choice[] = [
  {
    id: 'answer',
    label: 'Answer',
    effect: 'The agent goes on.',
    body: { action: 'answer' },
    text: { member: 'input', required: true },
  },
  {
    id: 'take_over',
    label: 'Take over',
    effect: 'The run is ended; the chat is yours.',
    body: { action: 'take_over' },
  },
  { id: 'dismiss', label: 'Dismiss', means: 'deny', effect: 'The run is ended.', body: { action: 'dismiss' } },
]

/** A question for which a run waits without a program: it ends with an answer, or with its run. */
export const question = declareKind({
  name: 'question',
  card: 'run_needs_human',
  role: 'MANAGER',
  seconds: null,
  operation: 'inbox.act',
  params: ({ item_id }) => ({ itemId: item_id }),
  actions: () => [
    { id: 'answer', label: 'Answer', effect: 'The agent goes on with your answer' },
    { id: 'take_over', label: 'Take over', effect: 'Ends the run: the chat is yours', irreversible: true },
    { id: 'dismiss', label: 'Dismiss', effect: 'Ends the run', irreversible: true },
  ],
  choices: () => [...choices],
  resolves: 'dismiss',
  expired: 'timed_out',
  // The end of its run withdraws the question.
  orphaned: false,
  fact: () => null,
})
