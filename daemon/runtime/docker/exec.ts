import type { Buffer } from 'node:buffer'
import type { Duplex, Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { RuntimeError } from '../errors.ts'
import { demultiplex } from './attach.ts'
import { asking, type Container, statusOf, unhurried } from './engine.ts'

export interface Command {
  /** `uid:gid`. */
  user: string
  argv: string[]
  env?: string[]
  stdin?: Buffer | Readable
  /** Most bytes of output that are kept. */
  mostBytes?: number
}

export interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** Kept output of a command, unless it says otherwise. */
const maxAnswer = 64 * 1024

interface Running {
  stream: Duplex
  said: { stdout: string; stderr: string }
  ended: Promise<number>
}

async function start(
  container: Container,
  { user, argv, env = [], stdin, mostBytes = maxAnswer }: Command,
  heard: (stdout: string) => void,
): Promise<Running> {
  const refused = (error: unknown) => {
    if (statusOf(error) === 409)
      throw new RuntimeError('not_running', "The crew's container is not running", { cause: error })
    throw error
  }
  return asking('running a command in a crew', async () => {
    const exec = await container
      .exec({
        User: user,
        Cmd: argv,
        Env: env,
        AttachStdin: stdin !== undefined,
        AttachStdout: true,
        AttachStderr: true,
      })
      .catch(refused)
    const stream = (await exec.start({ hijack: true, stdin: stdin !== undefined }).catch(refused)) as unknown as Duplex
    const said = { stdout: '', stderr: '' }
    const text = { stdout: new StringDecoder(), stderr: new StringDecoder() }
    stream.on(
      'data',
      demultiplex((source, chunk) => {
        const to = source === 2 ? 'stderr' : 'stdout'
        if (said[to].length < mostBytes) said[to] += text[to].write(chunk)
        if (source !== 2) heard(said.stdout)
      }),
    )
    const ended = new Promise<number>((resolve, reject) => {
      stream.on('error', reject)
      stream.on('close', () => exec.inspect().then(({ ExitCode }) => resolve(ExitCode ?? -1), reject))
      stream.on('end', () => stream.destroy())
    })
    ended.catch(() => {})
    if (stdin && 'pipe' in stdin) stdin.on('error', () => stream.destroy()).pipe(stream)
    else if (stdin !== undefined) stream.end(stdin)
    return { stream, said, ended }
  })
}

/** Runs a command and waits for its end. */
export async function run(container: Container, command: Command): Promise<Ran> {
  const { said, ended } = await start(container, command, () => {})
  const code = await unhurried('running a command in a crew', () => ended)
  return { code, ...said }
}

/** Starts a command in the background; resolves once it prints `word`, else rejects with its output. */
export async function launch(container: Container, command: Command, word: string): Promise<void> {
  let going = () => {}
  const said = new Promise<null>((resolve) => {
    going = () => resolve(null)
  })
  const running = await start(container, command, (stdout) => {
    if (stdout.startsWith(word)) going()
  })
  const code = await unhurried('starting a run', () => Promise.race([said, running.ended]))
  if (code === null) running.stream.destroy()
  else throw new RuntimeError('refused', running.said.stderr.trim() || `it could not be started (${code})`)
}
