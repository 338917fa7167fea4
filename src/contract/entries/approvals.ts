import { type Static, Type } from 'typebox'
import { entry, type Names } from './define.ts'
import { quoted } from './quote.ts'

const text = Type.Optional(Type.String())

/** Requests for approval and waitpoints. */
const Approval = Type.Object({
  approval_id: Type.String(),
  kind: Type.String(),
  asked: Type.String({ description: 'What is to be decided, in a line' }),
  target: Type.Optional(Type.String({ description: 'What kind of thing is held back: agent' })),
  target_id: Type.Optional(Type.String({ description: 'What is held back until then' })),
  policy_action: text,
  comment: text,
  reason: text,
  cancelled_by: text,
})
type Told = Static<typeof Approval>

/** Whoever holds the token of a waitpoint may decide it without an account. */
const decider = ({ kind }: Told, { actor }: Names): string =>
  kind === 'waitpoint' && actor === 'Muster' ? 'The holder of the token' : actor

const said = (words: string | undefined): string => (words ? `, saying ${quoted(words)}` : '')

const withdrawn = (it: Told, { actor }: Names): string =>
  `${actor} withdrew the request ${quoted(it.asked)}${said(it.reason)}`

export const approvalFacts = {
  'approval.requested': entry('approval.requested', 'notice', Approval, (it, { actor }) =>
    it.kind === 'waitpoint'
      ? `Work waits for a decision: ${quoted(it.asked)}`
      : `${actor} asks for approval: ${quoted(it.asked)}`,
  ),
  'approval.granted': entry(
    'approval.granted',
    'notice',
    Approval,
    (it, names) => `${decider(it, names)} approved: ${quoted(it.asked)}${said(it.comment)}`,
  ),
  'approval.denied': entry(
    'approval.denied',
    'notice',
    Approval,
    (it, names) => `${decider(it, names)} denied: ${quoted(it.asked)}${said(it.comment)}`,
  ),
  'approval.timeout': entry(
    'approval.timeout',
    'warn',
    Approval,
    (it) => `Nobody decided in time: ${quoted(it.asked)}`,
  ),
  'approval.cancelled': entry('approval.cancelled', 'notice', Approval, withdrawn),
  /** The thing that waited for approval was deleted. */
  'approval.orphaned': entry(
    'approval.cancelled',
    'notice',
    Approval,
    (it) => `The request ${quoted(it.asked)} was withdrawn${it.reason ? `: ${it.reason}` : ''}`,
  ),
}
