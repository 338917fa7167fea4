import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, type Stats, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { localSocket } from '../contexts/session.ts'
import { configFile, daemonProgram, dataDir } from '../paths.ts'
import type { Finding } from './finding.ts'
import { closedFiles, leftoverFiles } from './folder.ts'

type Env = NodeJS.ProcessEnv

/** What was done, or could not be. */
export interface Mended {
  done: boolean
  what: string
}

/** Mends what is safe to mend: nothing that is stored is changed or removed. */
export async function mend(findings: readonly Finding[], env: Env = process.env): Promise<Mended[]> {
  return [
    ...attempt('make the data folder', () => makeFolder(env)),
    ...attempt('close files to other users', () => closeFiles(env)),
    ...((await isGone(env)) ? attempt('clear away what a daemon left', () => clearAway(env)) : []),
    ...(findings.some(isBuildable) ? [await buildImages(env)] : []),
  ]
}

function attempt(what: string, work: () => string[]): Mended[] {
  try {
    return work().map((text) => ({ done: true, what: text }))
  } catch (error) {
    return [{ done: false, what: `Could not ${what}: ${(error as Error).message}` }]
  }
}

function makeFolder(env: Env): string[] {
  const dir = dataDir(env)
  if (existsSync(dir)) return []
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  return [`Made ${dir}`]
}

function closeFiles(env: Env): string[] {
  const config = configFile(env)
  const stat = statSync(config, { throwIfNoEntry: false })
  const files = [...closedFiles(env), ...(stat ? [[config, stat] as const] : [])]
  const isOpen = ([, { uid, mode }]: readonly [string, Stats]) => uid === process.getuid?.() && (mode & 0o077) !== 0
  return files.filter(isOpen).map(([path, { mode }]) => {
    chmodSync(path, mode & 0o700)
    return `Closed ${path} to other users`
  })
}

/** Nobody listens on the socket; a daemon that only takes long to answer keeps it. */
function isGone(env: Env): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(localSocket(env).socket!)
    socket.on('connect', () => {
      socket.destroy()
      resolve(false)
    })
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED' || code === 'ENOENT'))
  })
}

function clearAway(env: Env): string[] {
  return leftoverFiles(env).map((path) => {
    rmSync(path, { force: true })
    return `Removed ${path}, which a daemon left that runs no more`
  })
}

/** Images that a script of Muster's own builds. */
const isBuildable = ({ name, status, detail }: Finding): boolean =>
  name === 'images' && status === 'fail' && /:local\b/.test(detail)

/** The script speaks for itself meanwhile, on standard error. */
function buildImages(env: Env): Promise<Mended> {
  const script = join(daemonProgram(), '..', '..', '..', 'scripts', 'build-images.sh')
  return new Promise((resolve) => {
    const child = spawn('bash', [script], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => process.stderr.write(chunk))
    const failed = (why: string) => resolve({ done: false, what: `Could not build the images: ${why}` })
    child.on('error', (error) => failed(error.message))
    child.on('exit', (code, signal) =>
      code === 0 ? resolve({ done: true, what: 'Built the images' }) : failed(`${script} ended with ${signal ?? code}`),
    )
  })
}
