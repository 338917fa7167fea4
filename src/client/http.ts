import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import { UnreachableError } from './problem.ts'
import type { Target } from './target.ts'

export interface Outgoing {
  method: string
  /** Path and query. */
  path: string
  headers: Record<string, string>
  body?: string | Buffer
  signal?: AbortSignal
  /** Longest wait in milliseconds: for the whole reply, or for a stream until its headers. */
  timeout?: number
}

export interface Incoming {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Sends one request on a connection of its own and reads the whole reply. */
export async function send(target: Target, outgoing: Outgoing): Promise<Incoming & { body: Buffer }> {
  const { response, done } = await begin(target, outgoing)
  try {
    return { status: response.statusCode ?? 0, headers: response.headers, body: await whole(response) }
  } catch (error) {
    throw unreachable(target, outgoing, error)
  } finally {
    done()
  }
}

/** Whatever answers may go on for ever: a longer reply is refused. */
const longestReply = 256 * 1024 * 1024

// Events, since the loop over a stream costs a command a millisecond at its start.
const whole = (response: IncomingMessage) =>
  new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > longestReply) response.destroy(Object.assign(new Error('its reply is too long'), { code: 'TOO_LONG' }))
      else chunks.push(chunk)
    })
    response.on('end', () => resolve(Buffer.concat(chunks)))
    response.on('error', reject)
    response.on('close', () => reject(Object.assign(new Error('the reply was cut off'), { code: 'ECONNRESET' })))
  })

/** Sends one request and hands over the reply as it arrives; a silence longer than `stall` milliseconds breaks it. */
export async function open(
  target: Target,
  outgoing: Outgoing,
  stall = 60_000,
): Promise<Incoming & { body: IncomingMessage }> {
  const { response, done } = await begin(target, outgoing)
  done()
  response.setTimeout(stall, () =>
    response.destroy(new UnreachableError(target.key, 'TIMEOUT', `${target.key} was silent for ${stall / 1000} s`)),
  )
  return { status: response.statusCode ?? 0, headers: response.headers, body: response }
}

async function begin(target: Target, outgoing: Outgoing): Promise<{ response: IncomingMessage; done: () => void }> {
  const { method, path, headers, body, signal, timeout = 30_000 } = outgoing
  const request = await requester(target)
  const place = target.socket ? { socketPath: target.socket } : { host: target.host, port: target.port }
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = request({ ...place, method, path: target.base + path, headers, agent: false, signal })
    const timer = setTimeout(() => sent.destroy(Object.assign(new Error(), { code: 'TIMEOUT' })), timeout)
    const done = () => clearTimeout(timer)
    sent.on('response', (response) => resolve({ response, done }))
    sent.on('error', (error) => {
      done()
      reject(unreachable(target, outgoing, error))
    })
    sent.end(body)
  })
}

const requester = async ({ secure }: Target): Promise<typeof http.request> =>
  secure ? (await import('node:https')).request : http.request

function unreachable(target: Target, { signal, timeout = 30_000 }: Outgoing, error: unknown): unknown {
  if (signal?.aborted) return signal.reason
  if (error instanceof UnreachableError) return error
  const { code = 'ERROR', message } = error as NodeJS.ErrnoException
  return new UnreachableError(target.key, code, describe(code, reasonOf(message), target, timeout))
}

/** OpenSSL's messages have the reason in their midst, between places in its sources. */
const reasonOf = (message: string) => /:SSL routines:[^:]*:([^:]+):/.exec(message)?.[1] ?? message

function describe(code: string, message: string, { key, socket }: Target, timeout: number): string {
  if (code === 'TIMEOUT') return `${key} did not answer within ${timeout / 1000} s`
  if (code === 'ECONNREFUSED' || (socket && code === 'ENOENT')) return `Nothing listens on ${key}`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The name in ${key} is not known`
  if (code === 'EACCES' || code === 'EPERM') return `This user may not open ${key}`
  if (code === 'ECONNRESET' || code === 'EPIPE') return `${key} broke the connection`
  if (message === 'wrong version number') return `${key} answers without TLS: its address begins with http://`
  if (/CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO/.test(code)) return `The certificate of ${key} is not trusted (${message})`
  return `${key} cannot be reached (${message || code})`
}
