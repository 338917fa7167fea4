import type { Endpoint, Input, Reply } from '../contract/define.ts'
import type { Api } from '../contract/index.ts'
import { type Connection, type ConnectionOptions, createConnection, type RequestOptions } from './connection.ts'
import { type Given, locate, operations } from './locate.ts'
import { UnreachableError } from './problem.ts'

export { type Connection, type ConnectionOptions, createConnection, type Send } from './connection.ts'
export { type Given, locate } from './locate.ts'
export { type ProblemBody, ProblemError, UnreachableError } from './problem.ts'
export { parseTarget, type Target } from './target.ts'

export interface CallOptions extends Omit<RequestOptions, 'body'> {
  /** Called with the reply's headers: list windows travel there. */
  onHeaders?: (headers: Readonly<Record<string, string | string[] | undefined>>) => void
}

type Answer<E> = E extends { reply: unknown } ? Reply<E> : E extends { kind: 'text' } ? string : Reply<E>
type Call<E> =
  Record<never, never> extends Input<E>
    ? (input?: Input<E>, options?: CallOptions) => Promise<Answer<E>>
    : (input: Input<E>, options?: CallOptions) => Promise<Answer<E>>

/** Streams are not calls: open them with `events`, `lines` or `openSocket` at the place that `locate` names. */
type Calls<F> = {
  [O in keyof F as F[O] extends { kind: 'stream' } ? never : O]: F[O] extends Endpoint ? Call<F[O]> : never
}

/** One method for every operation of the contract: `client.crews.create({ body })`. */
export type Client = { [F in keyof Api]: Calls<Api[F]> }

/** A client over a connection, or over one made from the options. */
export function createClient(from: Connection | ConnectionOptions): Client {
  const connection = 'request' in from ? from : createConnection(from)
  const client: Record<string, Record<string, unknown>> = {}
  for (const [feature, members] of Object.entries(operations)) {
    const calls: Record<string, unknown> = {}
    client[feature] = calls
    for (const name of Object.keys(members))
      calls[name] = (input?: Given, options?: CallOptions) => call(connection, `${feature}.${name}`, input, options)
  }
  return client as Client
}

async function call(
  connection: Connection,
  operation: string,
  input: Given = {},
  options: CallOptions = {},
): Promise<unknown> {
  const { method, path, kind } = locate(operation, input)
  const reply = await connection.request(method, path, {
    ...options,
    ...(input.body !== undefined && { body: input.body }),
  })
  options.onHeaders?.(reply.headers)
  if (reply.status === 204 || reply.body.length === 0) return undefined
  const text = String(reply.body)
  if (kind === 'text') return text
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreachableError(
      connection.target.key,
      'NOT_JSON',
      `What answers at ${connection.target.key} is not a Muster server`,
    )
  }
}
