import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { OutputBuffer } from '../output-buffer.ts'
import type { ServerProcess, ServerProgram } from '../types.ts'
import { foldersIn } from './state.ts'

const stderrBytes = 8 * 1024
/** From the end of its input until it is ended. */
const graceMs = 2000
/** For what it said last. */
const drainMs = 500

/** Ends the group when the daemon lets go of the third descriptor, as it does when it dies. */
const guarded = '(read -r _ <&3; kill -s KILL 0) </dev/null >/dev/null 2>&1 & exec 3<&-; exec "$@"'

/** MCP servers of crews without containers: each is the leader of a process group, and ends with all of it. */
export class Servers {
  readonly #running = new Map<string, Set<ServerProcess>>()
  /** Folders of those that run. */
  readonly #folders = new Set<string>()

  /** Starts a server in its own folder, with no variables but its own, PATH and HOME. */
  async start(crewId: string, folder: string, { argv, env, trial }: ServerProgram): Promise<ServerProcess> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const { PATH = '' } = process.env
    const child = spawn('/bin/sh', ['-c', guarded, 'sh', ...argv], {
      detached: true,
      cwd: folder,
      env: { PATH, HOME: folder, ...env },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    })
    const started = await serverOf(child)
    const server = trial ? withoutTrace(started, folder) : started
    const running = this.#running.get(crewId) ?? new Set()
    this.#running.set(crewId, running.add(server))
    this.#folders.add(folder)
    void server.ended.then(() => {
      this.#folders.delete(folder)
      running.delete(server)
      if (!running.size && this.#running.get(crewId) === running) this.#running.delete(crewId)
    })
    return server
  }

  /** Removes the folders of servers that are gone. */
  async clear(root: string, known: readonly string[]): Promise<void> {
    for (const name of foldersIn(root))
      if (!known.includes(name.replace(/^strict-/, '')) && !this.#folders.has(join(root, name)))
        await rm(join(root, name), { recursive: true, force: true })
  }

  /** Ends the servers of a crew. */
  async end(crewId: string): Promise<void> {
    await Promise.all([...(this.#running.get(crewId) ?? [])].map((server) => server.end()))
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((crewId) => this.end(crewId)))
  }
}

/** A server whose folder goes with it. */
function withoutTrace(server: ServerProcess, folder: string): ServerProcess {
  const remove = () => rm(folder, { recursive: true, force: true }).catch(() => undefined)
  const ended = server.ended.finally(remove)
  const end = async () => {
    await server.end()
    await ended
  }
  return { ...server, ended, end }
}

async function serverOf(child: ChildProcess): Promise<ServerProcess> {
  const [input, output, stderr] = child.stdio as unknown as [Writable, Readable, Readable]
  const [, , , guard] = child.stdio as unknown as Writable[]
  const said = new OutputBuffer(stderrBytes)
  stderr.on('data', (chunk: Buffer) => said.add(chunk))
  // A server that ends does not read all of its input.
  for (const stream of [input, guard!]) stream.on('error', () => undefined)
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  const group = -child.pid!
  // The guard keeps the number of the group from being given to another one.
  const kill = () => {
    try {
      process.kill(group, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  child.once('exit', () => {
    kill()
    // A process that left the group may hold its streams open for ever.
    setTimeout(() => {
      for (const stream of child.stdio) stream?.destroy()
    }, drainMs)
  })
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, stderr: said.lastLines() })),
  )
  const end = async () => {
    input.end()
    const late = setTimeout(kill, graceMs)
    await ended
    clearTimeout(late)
  }
  return { input, output, ended, end, deniedHosts: () => [] }
}
