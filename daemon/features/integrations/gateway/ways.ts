import { hash } from 'node:crypto'
import type { App } from '#kernel/app'
import { noteUse } from '../../credentials/delivery/service.ts'
import type { Effective } from '../resolved/rules.ts'
import { settingsOf } from '../resolved/service.ts'
import { readArgs } from '../rules.ts'
import { openSession, type Session, Unusable } from '../sessions/service.ts'
import { openVariables } from '../variables.ts'
import { credentialOf } from './credential.ts'
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
  /** Of each call. */
  timeoutMs: number
  /** What nobody else may read of it. */
  secrets: string[]
  open(): Promise<Session>
  /** Notes that it is used, when it has been opened. */
  opened(): Promise<unknown>
}

const digest = (of: unknown): string => hash('sha256', JSON.stringify(of), 'hex')

/** The way to a server for whoever calls. Throws `Unusable` where there is none. */
export function wayTo(app: App, caller: Caller, found: Effective): Way {
  const { timeout_seconds = defaultSeconds, headers = {} } = settingsOf(found)
  const timeoutMs = timeout_seconds * 1000
  return found.server.transport === 'stdio'
    ? overStreams(app, caller, found, timeoutMs)
    : overHttp(app, caller, found, timeoutMs, headers)
}

/** Of each agent its own connection. */
function overHttp(
  app: App,
  { agent, runId, permits }: Caller,
  found: Effective,
  timeoutMs: number,
  own: Record<string, string>,
): Way {
  const { id, endpoint } = found.server
  const { hostname } = new URL(endpoint!)
  if (!permits(hostname))
    throw new Unusable(`the crew's network policy does not let it reach ${hostname}`, { refusal: true })
  const credential = credentialOf(app, found)
  const { secrets, credentialId } = credential
  const headers = { ...own, ...credential.headers }
  const called = { endpoint: endpoint!, headers, timeoutMs, maxBytes }
  return {
    key: `${agent.id} ${id} ${digest([called, credentialId])}`,
    idleMs: idleOverHttpMs,
    timeoutMs,
    secrets,
    open: () => openSession(app, called, app.stopping.signal),
    opened: async () => credentialId !== null && noteUse(app, credentialId, agent.id, runId),
  }
}

/** The agents of a crew share its program. */
function overStreams(app: App, { agent, start, scrubber }: Caller, { server }: Effective, timeoutMs: number): Way {
  const { id: serverId, name, command, args_json } = server
  const env = openVariables(app, server)
  const argv = [command!, ...(args_json === null ? [] : readArgs(args_json))]
  const secrets = Object.values(env)
  return {
    key: `${agent.crew_id} ${serverId} ${digest([argv, env])}`,
    idleMs: idleProgramMs,
    timeoutMs,
    secrets,
    open: async () => {
      const process = await start({ serverId, argv, env }).catch((error: Error) => {
        throw new Unusable(`The server ${name} could not be started: ${error.message}`, { cause: error })
      })
      return openStreams({ name, process, timeoutMs, maxBytes, clean: scrubber(secrets) })
    },
    opened: async () => undefined,
  }
}
