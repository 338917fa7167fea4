import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { OutputBuffer } from '../output-buffer.ts'
import type { ServerProcess, ServerProgram } from '../types.ts'

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

  /** Starts a server in its own folder, with no variables but its own, PATH and HOME. */
  async start(crewId: string, folder: string, { argv, env }: ServerProgram): Promise<ServerProcess> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const { PATH = '' } = process.env
    const child = spawn('/bin/sh', ['-c', guarded, 'sh', ...argv], {
      detached: true,
      cwd: folder,
      env: { PATH, HOME: folder, ...env },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    })
    const server = await serverOf(child)
    const running = this.#running.get(crewId) ?? new Set()
    this.#running.set(crewId, running.add(server))
    void server.ended.then(() => {
      running.delete(server)
      if (!running.size && this.#running.get(crewId) === running) this.#running.delete(crewId)
    })
    return server
  }

  /** Ends the servers of a crew. */
  async end(crewId: string): Promise<void> {
    await Promise.all([...(this.#running.get(crewId) ?? [])].map((server) => server.end()))
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((crewId) => this.end(crewId)))
  }
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
    child.once('close', (code) => {
      const { content, from } = said.since(0)
      const text = content.toString('utf8')
      // Half a line could be half a secret.
      resolve({ code, stderr: from > 0 ? text.slice(text.indexOf('\n') + 1 || text.length) : text })
    }),
  )
  const end = async () => {
    input.end()
    const late = setTimeout(kill, graceMs)
    await ended
    clearTimeout(late)
  }
  return { input, output, ended, end }
}
