import type { Static } from 'typebox'
import type { Problem } from '../contract/problems.ts'

export type ProblemBody = Static<typeof Problem>

/** The server refused a request; `problem` holds what it answered. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly problem: ProblemBody
  readonly requestId: string | undefined
  /** Seconds to wait before trying again, when the server said so. */
  readonly retryAfter: number | undefined

  constructor(problem: ProblemBody, { requestId, retryAfter }: { requestId?: string; retryAfter?: number } = {}) {
    super(problem.detail ?? problem.title)
    this.problem = problem
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

/** No answer came: nothing listens, the name is unknown, the connection broke, or time ran out. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly server: string
  /** The system's code (`ECONNREFUSED`, `ENOENT`, ...), or `TIMEOUT`. */
  readonly reason: string

  constructor(server: string, reason: string, message: string) {
    super(message)
    this.server = server
    this.reason = reason
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** What a problem says in words; anything else under these names is none. */
const words = ['type', 'title', 'detail', 'instance', 'code', 'error', 'field'] as const

const isProblem = (value: unknown): value is Partial<ProblemBody> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Makes an error of a failed reply, whatever its body is: a proxy in between may answer with a page of its own. */
export function problemOf(status: number, headers: Headers, text: string, instance: string): ProblemError {
  const sent = parse(text)
  const elsewhere =
    status < 400 && headers['location']
      ? `The server sends callers on to ${headers['location']}: use that address`
      : undefined
  const said = sent.detail ?? sent.error ?? elsewhere ?? `The server answered ${status}`
  const retryAfter = Number(headers['retry-after'] ?? Number.NaN)
  const requestId = headers['x-request-id']
  return new ProblemError(
    { type: 'about:blank', title: said, instance, error: said, ...sent, status, code: sent.code ?? `http_${status}` },
    { ...(typeof requestId === 'string' && { requestId }), ...(Number.isFinite(retryAfter) && { retryAfter }) },
  )
}

function parse(text: string): Partial<ProblemBody> {
  try {
    const value: unknown = JSON.parse(text)
    if (!isProblem(value)) return {}
    const broken = words.filter((name) => typeof value[name] !== 'string')
    return Object.fromEntries(
      Object.entries(value).filter(([name]) => !broken.includes(name as (typeof words)[number])),
    )
  } catch {
    return {}
  }
}
