import { spawn } from 'node:child_process'
import { chmodSync, constants, existsSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { localSocket } from '../contexts/session.ts'
import { configFile, daemonProgram, dataDir } from '../paths.ts'
import type { Finding } from './finding.ts'
import { closedFiles, leftoverFiles } from './folder.ts'

type Env = NodeJS.ProcessEnv

const { S_IFLNK, S_IFMT } = constants

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
  const inFolder = isOwnFolder(env) ? closedFiles(env).map(([path]) => path) : []
  // The folder stands first: once it is closed nobody can exchange its files.
  return [...inFolder, ...(existsSync(config) ? [config] : [])].flatMap((path) => {
    const { uid, mode } = path === dataDir(env) ? statSync(path) : lstatSync(path)
    // A link may lead to what everybody needs.
    if (uid !== process.geteuid?.() || (mode & 0o077) === 0 || (mode & S_IFMT) === S_IFLNK) return []
    chmodSync(path, mode & 0o700)
    return [`Closed ${path} to other users`]
  })
}

/** What another user keeps is that user's to mend, also for root. */
const isOwnFolder = (env: Env): boolean =>
  statSync(dataDir(env), { throwIfNoEntry: false })?.uid === process.geteuid?.()

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
  return (isOwnFolder(env) ? leftoverFiles(env) : []).map((path) => {
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
