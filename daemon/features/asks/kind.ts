import type { App } from '#kernel/app'
import { type Choice, type Decision, declareKind } from '../decisions/service.ts'
import { findRun } from '../runs/service.ts'

/** A run of an issue leaves that to the person, any other one its chat. */
const isOfIssue = (app: App, { run_id }: Decision): boolean =>
  run_id !== null && (findRun(app, run_id)?.mission_id ?? null) !== null

const choicesOf = (ofIssue: boolean): Choice[] => [
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
    effect: ofIssue ? 'The run is ended; the issue is yours, in TODO.' : 'The run is ended; the chat is yours.',
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
  actions: (app, row) => [
    { id: 'answer', label: 'Answer', effect: 'The agent goes on with your answer' },
    {
      id: 'take_over',
      label: 'Take over',
      effect: isOfIssue(app, row) ? 'Ends the run: the issue is yours' : 'Ends the run: the chat is yours',
      irreversible: true,
    },
    { id: 'dismiss', label: 'Dismiss', effect: 'Ends the run', irreversible: true },
  ],
  choices: (app, row) => choicesOf(isOfIssue(app, row)),
  resolves: 'dismiss',
  expired: 'timed_out',
  // The end of its run withdraws the question.
  orphaned: false,
  fact: () => null,
})
