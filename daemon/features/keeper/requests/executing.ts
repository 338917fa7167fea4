import type { Reply } from '#contract/define'
import type { keeper } from '#contract/keeper'
import { keeperCommand } from '#contract/keeper-requests'
import { type App, wholeSeconds } from '#kernel/app'
import { type Call, wished } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { askable, noteAskedFor, valueAskedFor } from '../../credentials/leases/service.ts'
import { containerOf } from '../../crews/containers/service.ts'
import { type Asking, actingFor, answerOf, askerOf, open, wantedOf } from './asking.ts'
import { judged } from './outcomes.ts'
import { queries, type Row } from './queries.ts'
import { wordsOf } from './rules.ts'
import { broadcast } from './telling.ts'

type Executed = Reply<typeof keeper.execute>

/** How long a command that people allowed may still be carried out. */
const allowedMs = 3_600_000
const stopped = 124

const running = new WeakMap<App, Set<string>>()
const runningOf = (app: App): Set<string> => {
  const known = running.get(app) ?? new Set<string>()
  running.set(app, known)
  return known
}
const keyOf = (row: Row): string => JSON.stringify([row.agent_id, row.credential_id, row.command, row.env_var])

/** An agent asks for one command with a credential: stored first, then judged, and carried out if that allows it. */
export const execute = (app: App) =>
  wished(
    (call: Call<typeof keeper.execute>) => begin(app, call),
    async (_, asking) => {
      const row = asking.known ? asking.row : await judged(app, asking.row, asking.wanted)
      return row.decision === 'ALLOW' ? carryOut(app, row) : answerOf(row)
    },
  )

function begin(app: App, { actor, body, now }: Call<typeof keeper.execute>): Asking {
  const words = wordsOf(body.command)
  if (typeof words === 'string') throw problem('invalid_field', { field: 'command', detail: words })
  const variable = variableIn(body.env_var)
  const agent = askerOf(app, actor, body)
  if (containerOf(app, agent.crew_id)?.container_id !== body.container_id)
    throw problem('internal_token_rejected', { field: 'container_id', detail: 'That is not the container of the crew' })
  const wanted = wantedOf(app, agent, body)
  const command = body.command.trim()
  const asking = { agent: agent.id, credential: wanted.id, type: 'execute' as const, command, env_var: variable }
  const since = wholeSeconds(app.clock() - allowedMs)
  const allowed = queries(app.db).allowedSame.get({ ...asking, since })
  if (allowed) return { row: allowed, wanted, known: true }
  const by = actingFor(actor, agent)
  const opened = open(app, { type: 'execute', agent, wanted, asked: body, command, env_var: variable, by, now })
  if (runningOf(app).has(keyOf(opened.row))) throw problem('keeper_in_flight')
  return opened
}

function variableIn(given: string | undefined): string | null {
  if (!given) return null
  if (/^[A-Z_][A-Z0-9_]{0,127}$/i.test(given) && !/^(SVC_|LD_|PATH$|HOME$)/i.test(given)) return given
  throw problem('invalid_field', {
    field: 'env_var',
    detail: 'env_var is a variable’s name, and none that decides which programs run',
  })
}

/** Carries an allowed command out, once; whoever comes later gets no output. */
export async function carryOut(app: App, row: Row): Promise<Executed> {
  const key = keyOf(row)
  if (runningOf(app).has(key)) throw problem('keeper_in_flight', { extra: { request_id: row.id } })
  runningOf(app).add(key)
  try {
    const agent = row.agent_id!
    const credential = askable(app, agent, { id: row.credential_id! })
    const value = credential && valueAskedFor(app, agent, credential.id)
    if (!credential || value === null)
      return { ...answerOf(row), decision: 'DENY', reason: 'The credential is gone meanwhile' }
    const used = await app.write(() => {
      if (!queries(app.db).use.get(app.now(), row.id)) return false
      noteAskedFor(app, credential.id, { agent_id: agent, request_id: row.id })
      return true
    })
    if (!used) return answerOf(row)
    return await run(app, row, { variable: row.env_var ?? credential.variable, value, until: credential.until })
  } finally {
    runningOf(app).delete(key)
  }
}

interface With {
  variable: string
  value: string
  /** When what the agent has of it ends. */
  until: string | null
}

async function run(app: App, row: Row, { variable, value, until }: With): Promise<Executed> {
  const left = until === null ? keeperCommand.seconds : Math.ceil((Date.parse(until) - app.clock()) / 1000)
  const seconds = Math.max(1, Math.min(keeperCommand.seconds, left))
  const { code, stdout, stderr } = await app.runs.command(row.agent_id!, {
    argv: wordsOf(row.command!) as string[],
    env: { [variable]: value },
    seconds,
    mostBytes: keeperCommand.mostBytes,
  })
  const clean = app.scrub({ workspace_id: row.workspace_id, agent_id: row.agent_id! }, [value])
  const output = clean([stdout, stderr].filter(Boolean).join('\n')).slice(0, keeperCommand.mostBytes)
  const after = await app.write(() => exited(app, row, code))
  const why = seconds < keeperCommand.seconds ? 'What the agent has of the credential ended' : `It took ${seconds} s`
  return {
    ...answerOf(after),
    ...(code === stopped && { reason: `${why}, and the command was stopped` }),
    output,
    exit_code: code,
  }
}

function exited(app: App, row: Row, code: number): Row {
  queries(app.db).exited.run(code, row.id)
  queries(app.db).addEvent.run({
    request_id: row.id,
    workspace_id: row.workspace_id,
    state: row.decision,
    reason: null,
    risk_score: null,
    exit_code: code,
    actor_type: 'agent',
    actor_id: row.agent_id,
    recorded_at: app.now(),
  })
  const after = queries(app.db).byId.get(row.id)!
  broadcast(app, after)
  return after
}
