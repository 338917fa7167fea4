import type { Buffer } from 'node:buffer'
import Docker from 'dockerode'
import { pack } from 'tar-stream'
import { RuntimeError } from '../errors.ts'

export type Engine = Docker
export type Container = Docker.Container

/** Connects to the engine at `host`, by default that of DOCKER_HOST, like the docker command. */
export function connectEngine(host = process.env['DOCKER_HOST'] ?? ''): Engine {
  if (!host) return new Docker()
  if (host.startsWith('unix://')) return new Docker({ socketPath: host.slice('unix://'.length) })
  if (host === process.env['DOCKER_HOST']) return new Docker()
  const { protocol, hostname, port } = new URL(host)
  return new Docker({ protocol: protocol === 'https:' ? 'https' : 'http', host: hostname, port: Number(port) || 2375 })
}

const unreachable = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'EACCES',
  'ECONNRESET',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EPIPE',
])

export const statusOf = (error: unknown): number | undefined => (error as { statusCode?: number }).statusCode

/** The engine's error, without dockerode's wrapping. */
export function engineError(error: unknown, doing: string): RuntimeError {
  if (error instanceof RuntimeError) return error
  const { code, message, json } = error as { code?: string; message: string; json?: { message?: string } }
  if (code && unreachable.has(code))
    return new RuntimeError('unreachable', `No Docker engine answers (${code})`, { cause: error })
  return new RuntimeError('refused', `${doing}: ${json?.message ?? message}`, { cause: error })
}

/** Timeout of a short request; long ones are made with `unhurried`. */
const patienceMs = 60_000

async function hurried<T>(work: Promise<T>): Promise<T> {
  let clock: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    clock = setTimeout(
      () => reject(new RuntimeError('unreachable', `The Docker engine did not answer within ${patienceMs / 1000} s`)),
      patienceMs,
    )
  })
  return Promise.race([work, late]).finally(() => clearTimeout(clock))
}

/** Makes a request to the engine; errors become RuntimeErrors that name what was being done. */
export async function asking<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await hurried(work())
  } catch (error) {
    throw engineError(error, doing)
  }
}

/** Like `asking`, without a timeout. */
export async function unhurried<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw engineError(error, doing)
  }
}

/** Like `asking`, but null when the object does not exist. */
export async function ifThere<T>(doing: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await hurried(work())
  } catch (error) {
    if (statusOf(error) === 404) return null
    throw engineError(error, doing)
  }
}

/** Requests a state; one that is reached already (304) and a missing object (404) are no errors. */
export async function settle(doing: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await hurried(work())
  } catch (error) {
    const status = statusOf(error)
    const underWay = status === 409 && /already in progress/.test((error as Error).message)
    if (status !== 304 && status !== 404 && !underWay) throw engineError(error, doing)
  }
}

export interface Entry {
  name: string
  uid: number
  gid: number
  mode: number
  /** Absent for a folder. */
  content?: Buffer | string
}

/** A tar archive with owners and modes in its headers, so that no process in the container has to set them. */
export async function archive(entries: Entry[]): Promise<Buffer> {
  const tar = pack()
  const mtime = new Date()
  for (const { content, ...entry } of entries) {
    if (content === undefined) tar.entry({ ...entry, mtime, type: 'directory' })
    else tar.entry({ ...entry, mtime }, content)
  }
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(chunk as Buffer)
  return globalThis.Buffer.concat(chunks)
}
