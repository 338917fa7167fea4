import { hash } from 'node:crypto'
import type { App } from '#kernel/app'
import { noteUse } from '../../credentials/delivery/service.ts'
import { asCredential, type Clean } from '../connections/sending.ts'
import { programOf } from '../programs/program.ts'
import type { Effective } from '../resolved/rules.ts'
import { settingsOf } from '../resolved/service.ts'
import { openSession, type Session, Unusable, unusable } from '../sessions/service.ts'
import { permitUse } from './permission.ts'
import type { Caller } from './service.ts'
import { openStreams } from './streams.ts'

/** Of each answer of a server. */
const maxBytes = 4 * 1024 * 1024
const defaultSeconds = 60
const idleOverHttpMs = 5 * 60_000
const idleProgramMs = 10 * 60_000

/** How an agent's server is reached now. */
export interface Way {
  key: string
  idleMs: number
  /** The server whose program it leads to; null over HTTP. */
  program: string | null
  /** Of each call. */
  timeoutMs: number
  open(): Promise<Session>
  /** Notes that it is used, when it has been opened. */
  opened(): Promise<unknown>
}

type Work<T> = (way: Way, clean: Clean) => Promise<T>

const digest = (of: unknown): string => hash('sha256', JSON.stringify(of), 'hex')

/** Does something with a server over the way that leads to it now. Throws `Unusable`, without secrets. */
export async function reach<T>(app: App, caller: Caller, found: Effective, work: Work<T>): Promise<T> {
  const { timeout_seconds = defaultSeconds, headers = {} } = settingsOf(found)
  const timeoutMs = timeout_seconds * 1000
  return found.server.transport === 'stdio'
    ? overStreams(app, caller, found, timeoutMs, work)
    : overHttp(app, caller, found, { timeoutMs, own: headers }, work)
}

/** Of each agent its own connection. */
async function overHttp<T>(
  app: App,
  caller: Caller,
  found: Effective,
  { timeoutMs, own }: { timeoutMs: number; own: Record<string, string> },
  work: Work<T>,
): Promise<T> {
  const { agent, runId, permits, scrubber } = caller
  const { id, endpoint } = found.server
  const { hostname } = new URL(endpoint!)
  if (!permits(hostname))
    throw new Unusable(`the crew's network policy does not let it reach ${hostname}`, { refusal: true })
  const permit = (credentialId: string) => permitUse(app, caller, credentialId, endpoint!)
  return asCredential(app, { ...found, scrubber, permit }, ({ headers, credentialId }, clean) => {
    const called = { endpoint: endpoint!, headers: { ...own, ...headers }, timeoutMs, maxBytes }
    const way: Way = {
      key: `${agent.id} ${id} ${digest([called, credentialId])}`,
      idleMs: idleOverHttpMs,
      program: null,
      timeoutMs,
      open: () => openSession(app, called, app.stopping.signal),
      opened: async () => credentialId !== null && noteUse(app, credentialId, { agent_id: agent.id, run_id: runId }),
    }
    return work(way, clean)
  })
}

/** The agents of a crew share its program. */
async function overStreams<T>(
  app: App,
  { agent, runId, restricted, start, scrubber }: Caller,
  { server }: Effective,
  timeoutMs: number,
  work: Work<T>,
): Promise<T> {
  const { name } = server
  const { program, credentials } = programOf(app, agent, server)
  const { serverId, argv, env } = program
  const clean = scrubber(Object.values(env))
  const way: Way = {
    key: `${agent.crew_id} ${serverId} ${digest([argv, env, restricted])}`,
    idleMs: idleProgramMs,
    program: serverId,
    timeoutMs,
    open: async () => {
      const process = await start({ ...program, ...(restricted && { restricted }) }).catch((error: Error) => {
        throw new Unusable(`The server ${name} could not be started: ${error.message}`, { cause: error })
      })
      return openStreams({ name, process, timeoutMs, maxBytes, clean })
    },
    opened: () => Promise.all(credentials.map((id) => noteUse(app, id, { agent_id: agent.id, run_id: runId }))),
  }
  try {
    return await work(way, clean)
  } catch (error) {
    const { message, ...rest } = unusable(error, { host: name })
    throw new Unusable(clean(message), { ...rest, cause: error })
  }
}
