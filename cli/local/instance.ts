import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createConnection, type Target } from '#client'
import { textOf } from '#client/connection'
import { instanceKeyFile, isInstanceKey, provesInstance } from '#client/instance'
import { localAddress, localSocket } from '../contexts/session.ts'
import { dataDir } from '../paths.ts'
import { isForeign } from './owner.ts'

type Env = NodeJS.ProcessEnv

/** A daemon that has proven to work on the data folder. */
export interface Proven {
  target: Target
  version: string
  uptime: number
}

const patienceMs = 2000
/** A stranger may answer without end. */
const longestAnswer = 16 * 1024

/** What answers there, if it proves to be the daemon of the data folder. Throws when nothing answers. */
export async function prove(target: Target, env: Env = process.env): Promise<Proven | undefined> {
  const key = instanceKey(env)
  if (key === undefined) return undefined
  const challenge = randomBytes(32).toString('hex')
  const connection = createConnection({ server: target, timeout: patienceMs })
  const signal = AbortSignal.timeout(patienceMs)
  const { body } = await connection.stream('GET', `/healthz?challenge=${challenge}`, { signal })
  const { remoteAddress: address, remotePort: port } = body.socket
  const said = parse(await textOf(body, longestAnswer))
  const door = target.socket ? {} : { address, port }
  return provesInstance(key, challenge, door, said.instance?.proof)
    ? { target, version: String(said.version), uptime: Number(said.uptime) }
    : undefined
}

/** The daemon of the data folder: at its socket, else where it listens for others. */
export async function findDaemon(env: Env = process.env): Promise<Proven | undefined> {
  const places = [localSocket(env), localAddress(env)]
  for (const target of places) {
    const found = target && (await prove(target, env).catch(() => undefined))
    if (found) return found
  }
  return undefined
}

/** Where commands find the daemon of the data folder. Its socket is nobody else's, and so is what proves itself. */
export async function localTarget(env: Env = process.env): Promise<Target> {
  const socket = localSocket(env)
  if (existsSync(socket.socket!)) return socket
  const address = localAddress(env)
  const found = address && (await prove(address, env).catch(() => undefined))
  return found?.target ?? socket
}

/** Undefined where no daemon ever worked on the folder, or it belongs to somebody else, who could prove anything. */
function instanceKey(env: Env): string | undefined {
  const path = join(dataDir(env), instanceKeyFile)
  try {
    if ([dataDir(env), path].some((it) => isForeign(statSync(it)))) return undefined
    const key = readFileSync(path, 'utf8').trim()
    return isInstanceKey(key) ? key : undefined
  } catch {
    return undefined
  }
}

interface Said {
  version?: unknown
  uptime?: unknown
  instance?: { proof?: unknown }
}

function parse(text: string): Said {
  try {
    return (JSON.parse(text) as Said | null) ?? {}
  } catch {
    return {}
  }
}
