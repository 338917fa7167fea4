import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'

const bin = new URL('../../bin/musterd.js', import.meta.url).pathname

export interface Musterd {
  url: string
  process: ChildProcess
  /** Ends it without a word, as a crash does. */
  kill(): Promise<void>
  /** Drains it; resolves with its exit code. */
  stop(): Promise<number>
}

interface Launch {
  /** An open file that takes standard error. */
  log?: number
  words?: readonly string[]
}

const launch = (env: Record<string, string>, { log, words = [] }: Launch = {}) =>
  spawn(process.execPath, [bin, ...words], {
    // A disk that others fill meanwhile must not stop the crews of a test.
    env: { PATH: process.env['PATH'] ?? '', SVC_DISK_RESERVE_MB: '0', ...env },
    stdio: ['ignore', 'pipe', log ?? 'pipe'],
  })

/** Starts the built daemon and kills it so many milliseconds later, ready or not. */
export async function crashWhileStarting(env: Record<string, string>, ms: number): Promise<void> {
  const child = launch(env)
  const ended = once(child, 'exit')
  await new Promise((resolve) => setTimeout(resolve, ms))
  child.kill('SIGKILL')
  await ended
}

/** Starts the built daemon, which is expected to refuse: how it ends and what it says. One that gets ready is ended. */
export async function refusedMusterd(env: Record<string, string>): Promise<{ code: number | null; said: string }> {
  const child = launch(env)
  child.stdout!.on('data', () => child.kill('SIGKILL'))
  const [said, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')])
  return { code, said }
}

/**
 * Starts the built daemon; resolves once it is ready. `heard` is told everything that it prints, but for what goes to
 * an open file.
 */
export async function startMusterd(
  env: Record<string, string>,
  heard: (text: string) => void = () => {},
  how: Launch = {},
): Promise<Musterd> {
  const child = launch(env, how)
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => heard(String(chunk)))
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors = (errors + chunk).slice(-4000)
  })
  const ended = once(child, 'exit')
  const ready = once(createInterface({ input: child.stdout! }), 'line')
  const first = await Promise.race([ready, ended.then(() => null)])
  if (!first) throw new Error(`musterd did not start: ${errors}`)
  const { url } = JSON.parse(first[0]) as { url: string }
  return {
    url,
    process: child,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async stop() {
      child.kill('SIGTERM')
      const [code] = await ended
      return code
    },
  }
}
