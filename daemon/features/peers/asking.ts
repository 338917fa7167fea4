import type { Reply } from '#contract/define'
import { peerDepth, type peers, peerWaitsSeconds } from '#contract/peers'
import { type App, wholeSeconds } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { isVisible } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { type Problem, problem } from '#kernel/problem'
import { type AgentRow, agentById, agentsOfCrew, callerOf } from '../agents/service.ts'
import { ancestorsOf } from '../runs/chains/service.ts'
import { beginRun, findRun, type Run } from '../runs/service.ts'
import { queries, type Row } from './queries.ts'
import { isPrivate, withoutWords } from './readers.ts'
import { slugOf } from './rules.ts'
import { tell } from './telling.ts'

/** Questions of an agent that may be open at once. */
const openAtMost = 8
/** Turns of a run that answers. */
const mostTurns = 20

type Asked = Call<typeof peers.query>

/** Asks another agent of the crew, or finds what was asked in this call before. */
export function ask(app: App, { body, now }: Asked): Reply<typeof peers.query> | Problem {
  const known = body.call_id ? queries(app.db).ofCall.get(body.call_id) : undefined
  if (known) {
    if (known.from_agent_id !== body.agent_id) throw problem('not_found', { field: 'call_id' })
    if (known.question !== body.question.trim()) throw problem('client_id_taken', { field: 'call_id' })
    return promised(known)
  }
  callerOf(app, body)
  const asking = askingRun(app, body)
  const question = body.question.trim()
  if (!isVisible(question)) throw problem('invalid_field', { field: 'question', detail: 'question must not be blank' })
  const target = targetOf(app, body)
  const deep = tooDeep(app, asking, target)
  if (deep) return deep
  checkRoom(app, body.agent_id)
  const id = newId(app.clock())
  const run_id = newId(app.clock())
  queries(app.db).insert.run({
    id,
    workspace_id: body.workspace_id,
    crew_id: body.crew_id,
    from_agent_id: body.agent_id,
    to_agent_id: target.id,
    question,
    asking_run_id: asking.id,
    run_id,
    call_id: body.call_id ?? null,
    created_at: now,
    deadline_at: wholeSeconds(app.clock() + peerWaitsSeconds * 1000),
    asked_ms: app.clock(),
  })
  const row = queries(app.db).find.get(id)!
  tell(app, row, 'running', { actor_type: 'agent', actor_id: body.agent_id })
  begin(app, row, target, asking)
  return promised(row)
}

function begin(app: App, row: Row, agent: AgentRow, by: Run) {
  const { id, run_id, from_slug, to_slug, from_agent_id } = row
  const { question } = isPrivate(app, row) ? withoutWords(row) : row
  beginRun(app, {
    id: run_id,
    agent,
    chat_id: null,
    source: 'peer',
    source_id: id,
    // Whoever began the work may end what hangs from it.
    triggered_by: by.triggered_by,
    trigger_type: 'PEER_QUERY',
    max_turns: mostTurns,
    tags: ['peer'],
    by: { actor_type: 'agent', actor_id: from_agent_id },
    asked: { peer_query_id: id, from_slug, target_slug: to_slug, question },
  })
}

const promised = ({ id, run_id, status, deadline_at }: Row) => ({
  query_id: id,
  run_id,
  status,
  deadline_at,
  timeout_seconds: peerWaitsSeconds,
})

function askingRun(app: App, { run_id, agent_id, workspace_id }: Asked['body']): Run {
  if (!run_id)
    throw problem('run_gone', {
      detail: 'Which run asks cannot be told: send its id, $SVC_RUN_ID, as the header X-Svc-Run-Id',
    })
  const run = findRun(app, run_id)
  const works = run?.phase === 'launching' || run?.phase === 'running'
  if (!works || run.agent_id !== agent_id || run.workspace_id !== workspace_id || run.cancelled_at !== null)
    throw problem('run_gone', { extra: { source_id: run_id } })
  return run
}

/** The agent that is asked; `beginRun` refuses one that may not work. */
function targetOf(app: App, { crew_id, agent_id, target }: Asked['body']): AgentRow {
  const slug = slugOf(target)
  const mate = agentsOfCrew(app, crew_id).find((it) => it.slug === slug)
  if (!mate) {
    const others = agentsOfCrew(app, crew_id).filter(({ id }) => id !== agent_id)
    const there = others.length ? `; there are ${others.map((it) => `@${it.slug}`).join(', ')}` : ''
    throw problem('not_found', { field: 'target', detail: `Your crew has no agent with this slug${there}` })
  }
  if (mate.id === agent_id)
    throw problem('invalid_field', { field: 'target', detail: 'That is you: ask another agent of your crew' })
  return agentById(app, mate.id)!
}

/** The refusal of a question that would hang from too many others, of which the agent above is told as well. */
function tooDeep(app: App, asking: Run, target: AgentRow): Problem | null {
  const above = ancestorsOf(app, asking).filter(({ source }) => source === 'peer')
  if (above.length < peerDepth) return null
  const limit = `Questions of agents hang from each other at most ${peerDepth} deep`
  const answering = queries(app.db).ofRun.get(above[0]!.id)
  if (answering?.status === 'RUNNING') {
    const warning = `${limit}: @${answering.to_slug} wanted to ask @${target.slug} for its answer and was refused`
    queries(app.db).warn.run({ id: answering.id, warning })
  }
  const detail = `${limit}: answer with what you know, or say what you would have to ask`
  return problem('query_limit', { field: 'target', detail })
}

function checkRoom(app: App, agent: string): void {
  if (queries(app.db).open.get(agent)!.n >= openAtMost)
    throw problem('rate_limited', { detail: `${openAtMost} of your questions are still open: wait for their answers` })
  if (app.runs.full)
    throw problem('runs_full', {
      detail: 'The server carries out as many runs as it may, so nobody could answer in time: go on without, or later',
    })
}
