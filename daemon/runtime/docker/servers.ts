import { setTimeout as delay } from 'node:timers/promises'
import { proxyEnv } from '../adapters/adapter.ts'
import { RuntimeError } from '../errors.ts'
import { folderFor } from '../server-folders.ts'
import { isRestrictedServer, isServerUser, namedServers, serverUsers } from '../server-users.ts'
import { canonicalHost, compilePolicy } from '../sidecar/policy.ts'
import { Turns } from '../turns.ts'
import type { NetworkPolicy, ServerProcess, ServerProgram } from '../types.ts'
import { emptyAs, removeEmpty } from './clear-folders.ts'
import type { Connections } from './connections.ts'
import { archive, asking, type Container } from './engine.ts'
import { run } from './exec.ts'
import { sidecarUrl, volumes } from './names.ts'
import { type Streams, startStreams } from './server-streams.ts'

/** From the end of its input until it is ended. */
const graceMs = 2000
/** A sidecar reports the same denial once a minute. */
const deniedMs = 90_000
const mostDenied = 20
const closeMs = 10_000

const folderName = 'servers'
const root = `${volumes.crew}/${folderName}`
const list = `cd ${root} 2>/dev/null || exit 0
for it in *; do [ ! -d "$it" ] || stat -c '%u %n' "$it"; done`

export interface ServerParts {
  connections: Connections
  /** Whether a user has no process in a crew. */
  isGone(crewId: string, uid: number): Promise<boolean>
  /** Ends all processes of a user in a crew. */
  endAll(crewId: string, uid: number): Promise<void>
  /** What the crew's sidecar allows now. */
  policy(crewId: string): NetworkPolicy | null
}

/**
 * MCP servers over standard streams in the containers of crews. Each is a user of its own, the owner of its folder: so
 * the folders tell who is which user, also to the next daemon.
 */
export class Servers {
  readonly #parts: ServerParts
  /** By crew: its container, and the users of the folders there by their names. */
  readonly #users = new Map<string, { containerId: string; users: Promise<Map<string, number>> }>()
  /** By crew and folder. */
  readonly #running = new Map<string, ServerProcess>()
  readonly #cleared = new Map<string, string>()
  /** By crew and user: the hosts that it was kept from, and when. */
  readonly #denied = new Map<string, Map<string, number>>()
  /** How many folders were made. */
  #given = 0
  /** By crew and folder, and by crew. */
  readonly #turns = new Turns()

  constructor(parts: ServerParts) {
    this.#parts = parts
  }

  /** Starts a server; one that runs with the same folder is ended before. */
  start(crewId: string, program: ServerProgram): Promise<ServerProcess> {
    const folder = folderFor(program)
    const key = `${crewId} ${folder}`
    return this.#turns.take(key, async () => {
      await this.#running.get(key)?.end()
      const { connections } = this.#parts
      const { uid, streams } = await connections.within(crewId, async (container) => {
        const first = program.restricted ? serverUsers.restricted : serverUsers.free
        const user = await this.#userOf(crewId, container, folder, first)
        await this.#endLeft(crewId, user)
        const { argv, env } = program
        const home = `${root}/${folder}`
        const starting = { uid: user, home, argv, env, open: proxyEnv(sidecarUrl) }
        return { uid: user, streams: await startStreams(container, starting) }
      })
      const server = this.#processOf(crewId, uid, streams, () => this.#left(crewId, program, folder, server))
      this.#running.set(key, server)
      return server
    })
  }

  #processOf(crewId: string, uid: number, streams: Streams, left: () => Promise<void>): ServerProcess {
    const { input, output, closed, drop } = streams
    const ended = closed.then(async (how) => {
      // What cannot be ended now is ended before the next start, and with the crew at the latest.
      await this.#endLeft(crewId, uid).catch(() => undefined)
      await left()
      return how
    })
    const kill = () =>
      this.#parts
        .endAll(crewId, uid)
        .catch(() => undefined)
        .finally(drop)
    const end = async () => {
      input.end()
      const late = setTimeout(kill, graceMs)
      await ended
      clearTimeout(late)
    }
    return { input, output, ended, end, deniedHosts: () => this.#deniedHosts(crewId, uid) }
  }

  async #left(crewId: string, { trial }: ServerProgram, folder: string, server: ServerProcess): Promise<void> {
    const key = `${crewId} ${folder}`
    if (this.#running.get(key) === server) this.#running.delete(key)
    if (!trial) return
    const remove = (container: Container) => this.#remove(crewId, container, folder)
    // What is left is removed with what other servers leave.
    await this.#parts.connections.within(crewId, remove).catch(() => this.#cleared.delete(crewId))
  }

  /** The user that owns a server's folder, which is made where there is none. */
  #userOf(crewId: string, container: Container, folder: string, first: number): Promise<number> {
    return this.#turns.take(crewId, async () => {
      const users = await this.#usersOf(crewId, container)
      const known = users.get(folder)
      if (known !== undefined) return known
      const taken = new Set(users.values())
      const free = Array.from({ length: namedServers }, (_, n) => first + ((this.#given + n) % namedServers))
      const uid = free.find((it) => !taken.has(it))
      if (uid === undefined) throw new RuntimeError('refused', 'The crew has too many servers')
      // Not the same again soon: what the sidecar reports of a user would be said of another server.
      this.#given++
      this.#denied.delete(`${crewId} ${uid}`)
      const entries = [
        { name: folderName, uid: 0, gid: 0, mode: 0o711 },
        { name: `${folderName}/${folder}`, uid, gid: uid, mode: 0o700 },
      ]
      const tar = await archive(entries)
      await asking('making a folder for a server', () => container.putArchive(tar, { path: volumes.crew }))
      users.set(folder, uid)
      return uid
    })
  }

  /** Read once for each container, when whatever runs as a server was started by an earlier daemon. */
  #usersOf(crewId: string, container: Container): Promise<Map<string, number>> {
    const known = this.#users.get(crewId)
    if (known?.containerId === container.id) return known.users
    const reading = { containerId: container.id, users: this.#adopt(crewId, container) }
    this.#users.set(crewId, reading)
    reading.users.catch(() => this.#users.get(crewId) === reading && this.#users.delete(crewId))
    return reading.users
  }

  async #adopt(crewId: string, container: Container): Promise<Map<string, number>> {
    const listed = await run(container, { user: '0:0', argv: ['sh', '-c', list], mostBytes: 1024 * 1024 })
    if (listed.code !== 0)
      throw new RuntimeError('refused', `The folders of servers could not be read: ${listed.stderr.trim()}`)
    const users = new Map(
      listed.stdout.split('\n').flatMap((line) => {
        const [, uid, name] = /^(\d+) (.+)$/.exec(line) ?? []
        return name !== undefined && isServerUser(Number(uid)) ? [[name, Number(uid)] as const] : []
      }),
    )
    for (const uid of users.values()) await this.#endLeft(crewId, uid)
    return users
  }

  async #endLeft(crewId: string, uid: number): Promise<void> {
    if (!(await this.#parts.isGone(crewId, uid))) await this.#parts.endAll(crewId, uid)
  }

  /** Ends what an earlier daemon started, and removes the folders of servers that are gone. */
  async clear(crewId: string, known: readonly string[]): Promise<void> {
    const { connections } = this.#parts
    const { id } = await connections.container(crewId)
    const asked = JSON.stringify([id, known])
    if (this.#cleared.get(crewId) === asked) return
    await connections.within(crewId, async (container) => {
      const users = await this.#turns.take(crewId, () => this.#usersOf(crewId, container))
      for (const folder of [...users.keys()]) {
        if (known.includes(folder.replace(/^strict-/, ''))) continue
        const key = `${crewId} ${folder}`
        await this.#turns.take(key, async () => {
          const running = this.#running.get(key)
          // It goes when it has been tried.
          if (running && folder.startsWith('try-')) return
          await running?.end()
          await this.#remove(crewId, container, folder)
        })
      }
    })
    this.#cleared.set(crewId, asked)
  }

  async #remove(crewId: string, container: Container, folder: string): Promise<void> {
    const users = await this.#turns.take(crewId, () => this.#usersOf(crewId, container))
    const uid = users.get(folder)
    if (uid === undefined) return
    await this.#endLeft(crewId, uid)
    await emptyAs(container, `${uid}:${uid}`, [`${root}/${folder}`])
    await removeEmpty(container, [`${root}/${folder}`])
    users.delete(folder)
  }

  /** Notes that a user was kept from reaching a host. */
  denied(crewId: string, uid: number, asked: string): void {
    const host = canonicalHost(asked)
    if (host === null) return
    const key = `${crewId} ${uid}`
    const hosts = this.#denied.get(key) ?? new Map<string, number>()
    hosts.delete(host)
    hosts.set(host, performance.now())
    if (hosts.size > mostDenied) hosts.delete(hosts.keys().next().value!)
    this.#denied.set(key, hosts)
  }

  #deniedHosts(crewId: string, uid: number): string[] {
    const policy = this.#parts.policy(crewId)
    const rules = policy && compilePolicy(isRestrictedServer(uid) ? { ...policy, mode: 'restricted' } : policy)
    const since = performance.now() - deniedMs
    return [...(this.#denied.get(`${crewId} ${uid}`) ?? [])].flatMap(([host, at]) =>
      at < since || rules?.permitsHost(host) ? [] : [host],
    )
  }

  /** Ends all servers that this daemon started; what an engine holds up is ended by the next daemon. */
  async close(): Promise<void> {
    const ended = Promise.all([...this.#running.values()].map((server) => server.end()))
    await Promise.race([ended, delay(closeMs, undefined, { ref: false })])
  }
}
