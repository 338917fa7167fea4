import { type ProblemBody, ProblemError, UnreachableError } from '#client'
import { Fault, faultOfCommand, faultOfDaemon } from './fault.ts'
import { retold } from './fields.ts'
import { Cancelled, InputError } from './input.ts'
import { HostRefusal, StartFailure } from './local/refusal.ts'
import { NotFound } from './lookup/find.ts'
import type { Registry } from './main.ts'
import { misuse, type Shape } from './misuse.ts'
import { cleanLine } from './output/clean.ts'
import { JqFailure } from './output/jq.ts'
import { shellWord } from './output/shell-word.ts'

/** Exit codes. Scripts rely on them. */
export const exits = {
  ok: 0,
  other: 1,
  input: 2,
  notFound: 3,
  identity: 4,
  conflict: 5,
  limited: 6,
  server: 7,
  unreachable: 8,
  unchanged: 9,
  interrupted: 130,
} as const

/** What went wrong, why, and what to type next. */
export interface Failure {
  exit: number
  what: string
  why: string[]
  next?: string
  /** The page of the documentation that explains it. */
  docs?: string
  /** What `--json` writes on stderr. */
  problem: Partial<ProblemBody> & { error: string; exit_code: number; request_id?: string }
}

/** What programs read of a failure: these members always, and what the service said besides. */
export const envelopeOf = ({ what, problem, docs }: Failure): object => ({
  ...problem,
  message: what,
  code: problem.code ?? null,
  field: problem.field ?? null,
  status: problem.status ?? null,
  exit_code: problem.exit_code,
  request_id: problem.request_id ?? null,
  docs: docs ?? null,
})

export interface Situation {
  /** The command, as `crews show`. */
  command: string
  /** What it takes. */
  shape?: Shape
  /** It names members of requests, as the API does. */
  speaksOfRequests?: boolean
  /** The commands that there are. */
  known?: Pick<Registry, 'ids' | 'describe'>
  /** Next step by problem code, when the command knows better. */
  next?: Readonly<Record<string, string>>
  /** The server is the daemon of this machine. */
  local: boolean
  hasToken: boolean
  /** The workspace that was asked for. */
  workspace?: string | undefined
}

/** Explains any error that ends a command. */
export function explain(error: unknown, at: Situation): Failure {
  const failure = describe(error, at)
  const next = failure.next ?? at.next?.[failure.problem.code ?? '']
  return next ? { ...failure, next } : failure
}

function describe(error: unknown, at: Situation): Failure {
  if (error instanceof ProblemError) return ofProblem(error, at)
  if (error instanceof UnreachableError) return ofSilence(error, at)
  if (error instanceof InputError) {
    // oclif puts "Parsing" before what a flag refuses.
    const next = at.command && /^(Parsing )?--/.test(error.message) ? `muster ${at.command} --help` : undefined
    return plain(exits.input, 'invalid_input', misuse(error, at.command, at.shape ?? {}), error.next ?? next)
  }
  if (error instanceof NotFound) return plain(exits.notFound, 'not_found', error.message, error.next)
  if (error instanceof HostRefusal) return plain(exits.other, error.code, error.message, error.next)
  if (error instanceof StartFailure) return plain(exits.other, error.code, error.message, error.next)
  if (error instanceof JqFailure) return plain(exits.input, 'invalid_input', `--jq: ${error.message}`)
  if (error instanceof Cancelled) return plain(exits.other, 'cancelled', error.message)
  const { name, message, code, oclif } = error as Error & { code?: string; oclif?: { exit?: number } }
  if (name === 'ExitPromptError' || name === 'AbortError')
    return plain(exits.interrupted, 'interrupted', 'Interrupted.')
  if (code === 'EEXIT') return { ...plain(oclif?.exit ?? 0, 'exit', ''), what: '' }
  if (oclif)
    return plain(
      exits.input,
      'invalid_input',
      misuse(error as Error, at.command, at.shape ?? {}),
      `muster ${at.command} --help`,
    )
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return plain(
      exits.other,
      'disk_full',
      `The disk of this machine is full (${message}).`,
      'free space, then try again',
    )
  return isFault(error) ? ofFault(error) : plain(exits.other, 'failed', message || String(error))
}

/** What no server, file or input brings about: the command itself is wrong. */
const isFault = (error: unknown): error is Error =>
  [TypeError, RangeError, ReferenceError, Fault].some((kind) => error instanceof kind)

const ofFault = (error: Error): Failure => ({ ...plain(exits.other, 'fault', error.message), why: [faultOfCommand] })

function plain(exit: number, code: string, what: string, next?: string): Failure {
  return {
    exit,
    what,
    why: [],
    ...(next && { next }),
    problem: { type: 'about:blank', title: what, code, error: what, exit_code: exit },
  }
}

/** Exit code of an HTTP status. */
export function exitOf(status: number): number {
  if (status === 401 || status === 403) return exits.identity
  if (status === 404) return exits.notFound
  if (status === 409 || status === 410 || status === 423) return exits.conflict
  if (status === 429) return exits.limited
  return status >= 500 ? exits.server : exits.input
}

/** How the question is answered that an agent waits with. */
function answering({ code, inbox_item_id: item }: ProblemBody & { inbox_item_id?: unknown }): string | undefined {
  return code === 'chat_busy' && typeof item === 'string'
    ? `muster inbox act ${shellWord(cleanLine(item))} --answer TEXT`
    : undefined
}

function ofProblem({ problem, retryAfter, requestId }: ProblemError, at: Situation): Failure {
  const { detail, title, field, status, code } = problem
  const exit = exitOf(status)
  const why = []
  if (detail && title && detail !== title && !detail.includes(title) && !general.includes(code)) why.push(title)
  // A refusal of the disk is told in full, and logged once for all requests.
  const isLogged = status >= 500 && !code.startsWith('storage_')
  if (requestId)
    why.push(isLogged ? `The daemon's log has the cause under request ${requestId}` : `Request ${requestId}`)
  if (code === 'internal') why.push(faultOfDaemon)
  const next = answering(problem) ?? at.next?.[code] ?? nextOf(code, status, at, retryAfter)
  return {
    exit,
    what: at.speaksOfRequests ? ofField(detail ?? title, field) : sentenceOf(problem, at),
    why,
    ...(next && { next }),
    problem: { ...problem, ...(requestId && { request_id: requestId }), exit_code: exit },
  }
}

/** Problems whose title adds nothing to their detail. */
const general = ['invalid_field', 'missing_field', 'no_fields', 'not_a_member', 'not_found']

/** The problem in a sentence about what was typed, not about members of requests. */
function sentenceOf({ code, detail, title, field }: ProblemBody, { shape = {}, workspace }: Situation): string {
  if (code === 'no_fields') return `${title}.`
  if (code === 'not_a_member' && workspace) return `There is no workspace "${workspace}" of which you are a member.`
  if (code === 'not_found' && !detail && field && /^[a-z]+(Id)?$/.test(field))
    return `There is no such ${field.replace(/Id$/, '')}.`
  return retold(detail ?? title, field, shape)
}

const ofField = (text: string, field: string | undefined): string =>
  field && !text.includes(field) ? `${text} (${field})` : text

function nextOf(code: string, status: number, at: Situation, retryAfter = 60): string | undefined {
  if (code === 'no_workspace' || code === 'workspace_required')
    return 'muster workspaces list, then muster workspaces use SLUG (or -w SLUG)'
  if (status === 401) return at.hasToken ? 'muster login, since the token in use is no longer accepted' : 'muster login'
  if (code === 'no_fields') return `muster ${at.command} --help`
  if (code === 'two_factor_required') return 'muster account 2fa on'
  if (code === 'not_a_member') return 'muster workspaces list'
  if (code === 'insufficient_scope') return 'muster tokens list, and use a token with a wider scope'
  if (code === 'insufficient_role')
    return 'muster whoami, which shows your role; an admin of the workspace can give you a higher one'
  if (code === 'already_initialized') return 'muster login'
  if (code === 'bootstrap_closed') return 'restart the daemon, then muster init'
  if (code === 'slug_taken') return another('slug', at)
  if (code === 'name_taken') return another('name', at)
  if (code.startsWith('runtime_')) return 'muster doctor'
  if (status === 404) return listFor(at)
  if (status === 429) return `wait ${retryAfter} s, then try again`
  if (status >= 500) return 'muster doctor'
  return undefined
}

/** What to choose anew: where the command takes no such flag, another name. */
const another = (what: string, { shape = {} }: Situation): string =>
  Object.hasOwn(shape.flags ?? {}, what) ? `repeat with another --${what}` : 'repeat with another name'

/** The command that lists what there is. */
function listFor({ command, known, shape = {} }: Situation): string | undefined {
  const words = command.split(' ')
  const own = words.map((_, at) => [...words.slice(0, words.length - at), 'list'].join(':'))
  const taken = [...Object.keys(shape.args ?? {}), ...Object.keys(shape.flags ?? {})].map((name) => `${name}s:list`)
  const id = [...own, ...taken].find((it) => known?.ids.includes(it))
  if (!known || !id) return undefined
  const needed = Object.values(known.describe(id).args).filter(({ required }) => required)
  return ['muster', ...id.split(':'), ...needed.map(({ name }) => name.toUpperCase())].join(' ')
}

function ofSilence({ message, server, reason }: UnreachableError, { local }: Situation): Failure {
  const next =
    reason === 'EACCES' || reason === 'EPERM'
      ? 'muster doctor'
      : local
        ? 'muster up'
        : 'muster contexts show, to see which server is used'
  return {
    exit: exits.unreachable,
    what: message,
    why: [],
    next,
    problem: {
      type: 'about:blank',
      title: 'The server cannot be reached',
      detail: message,
      code: 'unreachable',
      instance: server,
      error: message,
      exit_code: exits.unreachable,
    },
  }
}
