import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '#kernel/config'
import { holderOf } from './port-holder.ts'

/** The address cannot be listened on. */
export class AddressTaken extends Error {
  readonly next: string
  /** Of the process that has it. */
  readonly pid: number | undefined
  constructor(message: string, next: string, pid?: number) {
    super(message)
    this.next = next
    this.pid = pid
  }
}

/** Ports after the wanted one of which a free one is offered. */
const nearby = 20

/** Refuses an address that cannot be listened on, before any data is opened. */
export async function requireAddress({ host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  if (port === 0) return
  const code = await refusalOf(host, port)
  if (code !== null) throw await taken(host, port, code)
}

async function taken(host: string, port: number, code: string): Promise<Error> {
  const at = `${host.includes(':') ? `[${host}]` : host}:${port}`
  if (code === 'EADDRNOTAVAIL')
    return new AddressTaken(`${host} is not an address of this machine`, 'musterd --host 127.0.0.1')
  const free = await freePort(host, port)
  const other = `musterd --port ${free}`
  if (code === 'EACCES') return new AddressTaken(`This user may not listen on ${at}: it takes privileges`, other)
  if (code !== 'EADDRINUSE') return new AddressTaken(`${at} cannot be listened on (${code})`, other)
  const holder = holderOf(port)
  const who = holder ? `by process ${holder.pid}: ${holder.command}` : 'by a program that this user may not look at'
  return new AddressTaken(`${at} is taken ${who}`, `${other}, or end that program`, holder?.pid)
}

/** The first free port after this one; 0, which picks any, where none is near. */
async function freePort(host: string, after: number): Promise<number> {
  const first = Math.max(after, 1023) + 1
  for (let port = first; port < Math.min(first + nearby, 65_536); port++)
    if ((await refusalOf(host, port)) === null) return port
  return 0
}

/** Why the port cannot be listened on; null when it can. */
async function refusalOf(host: string, port: number): Promise<string | null> {
  const server = createServer().listen({ host, port, exclusive: true })
  try {
    await once(server, 'listening')
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'ERROR'
  } finally {
    server.close()
  }
}
