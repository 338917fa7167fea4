import type { Static, TSchema } from 'typebox'
import type { Capability } from './capabilities.ts'
import type { EntryType } from './entries.ts'
import type { Code } from './problems.ts'
import type { Role, Scope } from './roles.ts'

/**
 * Who may call: anyone, anyone signed in, a member of the workspace with at least this role, or (`internal`) the
 * daemon's
 * own programs on this machine, by an internal token.
 */
export type Access = 'public' | 'signed-in' | 'internal' | Role

/**
 * How agents call an internal operation. Their sidecar's routes, the tools of models and the daemon's answers are read
 * from it.
 */
export interface AgentCall {
  /** The path on the sidecar, such as `/escalate`. */
  route: string
  /** Its name among the tools that models are offered; without one only programs call it. */
  tool?: string
  /** What a model is told the tool is for. */
  says?: string
  /** The members that a model is offered, each with what it is told of it. */
  members?: Readonly<Record<string, string>>
  /** The member that `GET route/VALUE` fills: programs may read it so. */
  reads?: string
  /** Calls a minute, of one agent and of all agents of its crew; `defaultRate` unless stated. */
  rate?: { agent: number; crew: number }
  /**
   * The one text that may hold a secret: a member of a member of the body, which may be JSON text itself, and only
   * beside this
   * value of another member. Everything else is scrubbed.
   */
  sealed?: { within: string; member: string; when: readonly [member: string, value: string] }
}

export interface Shape {
  summary: string
  access: Access
  /** Agents may call it. */
  agent?: AgentCall
  /**
   * Where the crew is named that this concerns (`agentId`, `escalationId`, `delegationId`: the crew of that agent,
   * question or assignment): there
   * the caller's role in it counts as
   * well as the one in the workspace, whichever is higher.
   */
  crew?: 'crewId' | 'agentId' | 'escalationId' | 'delegationId' | 'body.crew_id'
  /** Members who were given this may call without the role. */
  capability?: Capability
  /** The scope that a scoped CLI token needs. Every changing workspace route names one. */
  scope?: Scope
  query?: TSchema
  body?: TSchema
  /** The body may be left out altogether. */
  bodyOptional?: true
  /**
   * What a body that cannot be used answers: a code of its own, or nothing at all (`ignore`: as if there were none).
   */
  malformed?: Code | 'ignore'
  /** What a body answers with another workspace than the internal token's: `internal_token_rejected` unless stated. */
  foreign?: Code
  reply?: TSchema
  /** What is asked for may wait for people: a reply whose `status` is PENDING_REVIEW comes with 202. */
  held?: true
  /** It may succeed in part: a reply with `error` comes with 207. */
  partial?: true
  /** The same request made again answers with 200 and what was made at first. */
  repeatable?: true
  /** Success status when the verb's own (GET 200, POST 201, PATCH and PUT 200, DELETE 204) is not meant. */
  status?: number
  /**
   * Entry types that a change may leave in the journal; `false` is an answer too. With `entity`, an `audit.entity_*`
   * entry is written by the kernel from the reply; every other type is written by the service.
   */
  journal?: readonly EntryType[] | false
  /** What the kernel's audit entry speaks of. */
  entity?: string
  /** `auth` is the strict bucket of docs/rules/http.md, "Rate limits". */
  rate?: 'api' | 'auth' | 'none'
  throws?: readonly Code[]
  /** `json` (default); `text` and `stream` handlers write to the reply themselves. */
  kind?: 'json' | 'text' | 'stream'
  /** Media types of a `text` reply that is bytes. */
  media?: readonly string[]
  /**
   * Where the workspace comes from when the usual way (query, path, header) is not meant. `session`: the header comes
   * first. `agent`, `approval`: a call that names none is for the workspace of the one in the path. `only`: it is for
   * the
   * caller's only workspace.
   */
  workspace?: 'session' | 'agent' | 'approval' | 'only'
  /** What a request without a workspace answers, when it is not `workspace_required`. */
  unnamed?: Code
  /** The setting with other names for a segment of the path, `aliased`. */
  aliases?: keyof typeof aliased
  /** Another path, at which older clients look for the same. */
  also?: string
  /** The path stands alone instead of under /api/v1. */
  root?: true
  /** Bytes accepted in the body; 1 MiB unless stated. */
  bodyLimit?: number
  /** What a body of more bytes answers, and the member at fault; `body_over_limit` unless stated. */
  overLimit?: { code: Code; field?: string }
  /** The handler also finds the body as it came, before it was read as JSON, in `request.rawBody`. */
  raw?: true
  /** The body may also come from a form (`application/x-www-form-urlencoded`), its values as text. */
  form?: true
  /** The body is `multipart/form-data` with a file under this name: the handler finds its bytes in `request.body`. */
  upload?: string
  /** The body is bytes of any media type: the handler finds them in `request.body`. */
  bytes?: true
  /** The handler reads the upload as it comes in: `request.body` is the stream. */
  streamed?: true
  /** In a browser session, a user who has a second factor must have shown it lately. */
  stepUp?: true
  /** Why there is no dry run of it, as what follows "because". */
  noDryRun?: string
  /** Members of the reply that are secrets, shown this once: a dry run leaves them out. */
  secrets?: readonly string[]
  /** Open also to a browser session that has yet to show the second factor of its user. */
  unproven?: true
  /** A refusal also clears the session's cookies, unless it is one to try again after (429, 5xx). */
  signsOut?: true
}

/** The segment of the path that each setting has other names for. */
export const aliased = { healthAliases: 'musterd', managedAliases: 'managed' } as const

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export type Endpoint<P extends string = string, S extends Shape = Shape> = S & {
  method: Method
  path: P
  status: number
}

type Names<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Name
    : never

export type Params<P extends string> = { [K in Names<P>]: string }

type Query<S> = S extends { query: infer Q extends TSchema } ? { query: Static<Q> } : unknown
type Body<S> = S extends { body: infer B extends TSchema }
  ? S extends { bodyOptional: true }
    ? { body?: Static<B> }
    : { body: Static<B> }
  : unknown

/** What a handler receives and a client sends: path parameters, query and body. */
export type Input<E> = E extends Endpoint<infer P, infer S> ? Params<P> & Query<S> & Body<S> : never
export type Reply<E> = E extends { reply: infer R extends TSchema } ? Static<R> : undefined

const read =
  (method: Method, status: number) =>
  <const P extends string, const S extends Shape>(path: P, shape: S): Endpoint<P, S> => ({
    method,
    path,
    status,
    ...shape,
  })

const change =
  (method: Method, status: number) =>
  <const P extends string, const S extends Shape & { journal: readonly EntryType[] | false }>(
    path: P,
    shape: S,
  ): Endpoint<P, S> => ({
    method,
    path,
    status,
    ...shape,
  })

export const get = read('GET', 200)
export const post = change('POST', 201)
export const patch = change('PATCH', 200)
export const put = change('PUT', 200)
export const del = change('DELETE', 204)

/** The status of a successful reply. */
export const statusOf = (
  { status, held, partial }: Pick<Endpoint, 'status' | 'held' | 'partial'>,
  reply: unknown,
): number => {
  const told = reply as { status?: unknown; error?: unknown } | null
  if (held && told?.status === 'PENDING_REVIEW') return 202
  return partial && told?.error !== undefined ? 207 : status
}

/** The URL path of an endpoint, parameters as `:name`. */
export const urlOf = (endpoint: { path: string; root?: true }): string =>
  endpoint.root ? endpoint.path : `/api/v1${endpoint.path}`
