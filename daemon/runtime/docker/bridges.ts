import type { Duplex } from 'node:stream'
import { type Connections as Carried, createConnections, type Pipe } from '../bridge/connections.ts'
import { RuntimeError } from '../errors.ts'
import { demultiplex } from './attach.ts'
import type { Connections } from './connections.ts'
import { asking, type Container, statusOf } from './engine.ts'
import { ids } from './names.ts'

const aliveMs = 20_000
/** How long an idle program is kept for the next connection. */
const idleMs = 60_000
const startMs = 20_000

export interface Bridge {
  readonly closed: boolean
  readonly carried: Carried
  /** Calls this when it is closed, at once if it is already. */
  ended(listener: () => void): void
  close(): void
}

/**
 * Connections to ports within crews, made by a program in the crew's container and multiplexed over its standard
 * streams: the crew's network stays closed, and the engine may be remote.
 */
export class Bridges {
  readonly #connections: Connections
  readonly #bridges = new Map<string, Promise<Bridge>>()

  constructor(connections: Connections) {
    this.#connections = connections
  }

  async connect(crewId: string, port: number): Promise<Duplex> {
    const { carried } = await this.#bridge(crewId)
    return carried.open(port).catch((error: Error) => {
      throw new RuntimeError('refused', error.message, { cause: error })
    })
  }

  /** The crew's program, started again in the current container when it is gone. */
  async #bridge(crewId: string): Promise<Bridge> {
    const known = this.#bridges.get(crewId)
    if (known && !(await known.then((it) => it.closed).catch(() => true))) return known
    if (this.#bridges.get(crewId) === known)
      this.#bridges.set(
        crewId,
        this.#connections.within(crewId, (container) => openBridge(container, intoCrew)),
      )
    return this.#bridges.get(crewId)!
  }

  drop(crewId: string): void {
    this.#bridges.get(crewId)?.then(
      (it) => it.close(),
      () => {},
    )
    this.#bridges.delete(crewId)
  }

  close(): void {
    for (const crewId of [...this.#bridges.keys()]) this.drop(crewId)
  }
}

interface Program {
  argv: string[]
  user: string
  pipe?: Pick<Pipe, 'connect' | 'most' | 'window'>
  /** Kept without connections. */
  stays?: true
}

/** Runs as a uid that no agent and no other program has, so that none can read or end it. */
const intoCrew: Program = { argv: ['node', '/opt/muster/bridge.cjs'], user: `${ids.nobody}:${ids.nobody}` }

export async function openBridge(container: Container, program: Program): Promise<Bridge> {
  const { stays, pipe } = program
  const stream = await start(container, program)
  let closed = false
  const listeners: (() => void)[] = []
  let greeted = (_error?: Error) => {}
  const greeting = new Promise<void>((resolve, reject) => {
    greeted = (error) => (error ? reject(error) : resolve())
  })
  let said = ''
  const wait = () => (stays ? undefined : setTimeout(() => end('nobody needed it'), idleMs).unref())
  let idle = wait()
  const end = (reason: string) => {
    if (closed) return
    closed = true
    clearInterval(alive)
    clearTimeout(idle)
    const error = new RuntimeError('not_running', `The way into the crew broke: ${said.trim() || reason}`)
    greeted(error)
    carried.close(error)
    stream.destroy()
    for (const listener of listeners) listener()
  }
  const carried = createConnections({
    write: (bytes, done) => void stream.write(bytes, () => done()),
    broken: (error) => end(error.message),
    ...pipe,
    counted: (open) => {
      clearTimeout(idle)
      if (!open) idle = wait()
    },
  })
  const alive = setInterval(() => carried.alive(), aliveMs).unref()
  stream.on(
    'data',
    demultiplex((source, chunk) => {
      if (source === 2) said = (said + chunk).slice(-1000)
      else {
        greeted()
        carried.receive(chunk)
      }
    }),
  )
  stream.on('end', () => end('its program ended'))
  stream.on('close', () => end('the connection to the engine closed'))
  stream.on('error', (error) => end(error.message))
  const late = setTimeout(() => end(`no answer within ${startMs / 1000} s`), startMs)
  await greeting.finally(() => clearTimeout(late))
  return {
    get closed() {
      return closed
    },
    carried,
    ended: (listener) => (closed ? listener() : void listeners.push(listener)),
    close: () => end('it was closed'),
  }
}

const start = (container: Container, { argv, user }: Program): Promise<Duplex> =>
  asking('opening a way into a crew', async () => {
    const refused = (error: unknown) => {
      if (statusOf(error) === 409)
        throw new RuntimeError('not_running', "The crew's container is not running", { cause: error })
      throw error
    }
    const exec = await container
      .exec({
        User: user,
        Cmd: argv,
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
      })
      .catch(refused)
    return (await exec.start({ hijack: true, stdin: true }).catch(refused)) as unknown as Duplex
  })
