import type { asks } from '#contract/asks'
import { fact } from '#contract/entries'
import { allows } from '#contract/roles'
import type { App } from '#kernel/app'
import { membership } from '#kernel/auth/membership'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { open } from '../decisions/service.ts'
import { itemId, type Target } from '../inbox/service.ts'
import { askedAbout } from '../issues/answers/service.ts'
import { openly } from '../runs/chains/service.ts'
import { sourceOf } from '../runs/messages/service.ts'
import { findRun, parkRun, type Run } from '../runs/service.ts'
import { question } from './kind.ts'
import { awaitInput, type SessionRow, sessionOfRun } from './sessions/service.ts'

type Question = Call<typeof asks.park>

const parked = ({ id, inbox_item_id }: SessionRow) => ({ status: 'parked', session_id: id, inbox_item_id })

/**
 * Puts an agent's question before a person: session, card, entry and the run's new phase together. Its program is ended
 * once that is stored. Asked again with the same call, or while the run waits already, it is the same question.
 */
export function park(app: App, { actor, body, now }: Question) {
  const run = runOf(app, body)
  const before = sessionOfRun(app, run.id)
  if (before && (before.call_id === (body.call_id ?? false) || run.phase === 'parking' || run.phase === 'parked'))
    return parked(before)
  const text = body.question.trim()
  if (text === '') throw problem('invalid_field', { field: 'question', detail: 'question must not be blank' })
  const { workspace_id, crew_id, agent_id, chat_id, mission_id } = run
  const thread = chat_id === null ? sourceOf(app, run).answers?.thread(app, run) : `chat:${chat_id}`
  if (thread === undefined)
    throw problem('run_gone', { detail: 'This run belongs to no chat in which a person could answer: go on without' })
  if (!parkRun(app, run.id))
    throw problem('run_gone', { detail: 'The run is over, or about to end', extra: { source_id: run.id } })
  const ask = newId(app.clock())
  const inbox_item_id = itemId('run_needs_human', ask)
  const of = { workspace_id, crew_id, agent_id, ...(mission_id && { mission_id }), trace_id: run.id }
  const about = { ...of, ...actorOf(actor), refs: { inbox_item_id } }
  putBefore(app, run, { ask, text, context: body.context?.trim() ?? '', thread }, now)
  const { seq } = app.journal(
    fact('run.parked', { ...(chat_id && { chat_id }), question: openly(app, run, text), inbox_item_id }, about),
  )
  const session = awaitInput(
    app,
    {
      workspace_id,
      agent_id,
      mission_id,
      chat_id,
      run_id: run.id,
      cli_resume_id: clientSession(run),
      journal_cursor: seq,
      ask_id: ask,
      call_id: body.call_id ?? null,
      question: text,
      inbox_item_id,
    },
    now,
  )
  return parked(session)
}

function runOf(app: App, { run_id, agent_id, workspace_id }: Question['body']): Run {
  if (!run_id)
    throw problem('run_gone', {
      detail: 'Which run asks cannot be told: send its id, $SVC_RUN_ID, as the header X-Svc-Run-Id',
    })
  const run = findRun(app, run_id)
  if (run?.agent_id !== agent_id || run.workspace_id !== workspace_id)
    throw problem('run_gone', { extra: { source_id: run_id } })
  return run
}

const clientSession = ({ launch_json }: Run): string | null =>
  launch_json ? ((JSON.parse(launch_json) as { session?: { id: string } | null }).session?.id ?? null) : null

/** The person who began the run, if they may decide; otherwise those who lead, or another member of its room. */
function targetOf(app: App, run: Run): Target {
  const person = personFor(app, run)
  return person ? { user: person } : { role: 'MANAGER' }
}

/** Who may be asked in a run, and decide. */
export function personFor(app: App, run: Run): string | undefined {
  const { workspace_id, triggered_by } = run
  const askable = sourceOf(app, run).answers?.askable(app, run) ?? (triggered_by ? [triggered_by] : [])
  return askable.find((user) => {
    const role = membership(app.db, workspace_id, user)?.role
    return role && allows('MEMBER', role)
  })
}

/** The beginning of a text, on one line. */
function titleOf(text: string): string {
  const line = [...text.replace(/[\s\p{C}]+/gu, ' ').trim()]
  return line.length <= 120 ? line.join('') : `${line.slice(0, 119).join('')}…`
}

function putBefore(
  app: App,
  run: Run,
  { ask, text, context, thread }: { ask: string; text: string; context: string; thread: string },
  now: string,
): void {
  const issue = askedAbout(app, run)
  const target = issue?.target ?? targetOf(app, run)
  const isFor = typeof target === 'object' && 'user' in target
  const shown = (words: string) => (isFor ? words : openly(app, run, words))
  open(app, question, {
    id: ask,
    workspace: run.workspace_id,
    asked: openly(app, run, text),
    crew: run.crew_id,
    agent: run.agent_id,
    run: run.id,
    card: {
      target,
      title: `${run.agent_name} asks: ${titleOf(shown(text))}`,
      body: shown(context ? `${text}\n\n${context}` : text),
      sender: { type: 'agent', id: run.agent_id, name: run.agent_name },
      thread: issue ? `issue:${issue.id}` : thread,
      attention: 'input',
      payload: () => ({
        who_can_act: [isFor ? `user:${target.user}` : 'role:MANAGER'],
        context: {
          ...(issue && { issue: issue.identifier, mission_id: issue.id }),
          run: run.id,
          chat: run.chat_id,
        },
        agent_id: run.agent_id,
        crew_id: run.crew_id,
        question: shown(text),
      }),
    },
    now,
  })
}
