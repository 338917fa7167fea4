import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseTarget, type Target } from '#client'
import { InputError } from '../input.ts'
import { NotFound, nearest } from '../lookup/find.ts'
import { dataDir } from '../paths.ts'
import type { Project } from '../project.ts'
import type { Context, ContextFile } from './file.ts'

export type Origin = 'flag' | 'environment' | 'project' | 'context' | 'default'

/** Which server is spoken to, as whom, in which workspace, and where each of these came from. */
export interface Session {
  target: Target
  serverOrigin: Origin
  /** Name of the context in use, when the server came from one or equals its server. */
  context?: string
  token?: string
  tokenOrigin?: Origin
  workspace?: string
  workspaceOrigin?: Origin
}

export interface SessionFlags {
  server?: string
  workspace?: string
  context?: string
}

type Env = NodeJS.ProcessEnv

/**
 * Flags win over the environment, the environment over the project's file, that over the context in use, and the
 * context over the daemon of this machine, which is at `local`. A data folder that the environment names stands for its
 * daemon.
 */
export function resolveSession(
  flags: SessionFlags,
  env: Env,
  file: ContextFile,
  local: Target = localSocket(env),
  project: Pick<Project, 'context'> = {},
): Session {
  const named = contextNamed(file, flags.context || env['SVC_CONTEXT'] || project.context)
  const [serverOrigin, address] = serverOf(flags, env, named?.context, project)
  const target = address === undefined ? local : readTarget(address)
  const own = named && sameServer(named.context, target) ? named : contextOf(file, target)
  const workspace = flags.workspace || env['SVC_WORKSPACE'] || own?.context.workspace
  const token = env['SVC_TOKEN'] || own?.context.token
  return {
    target,
    serverOrigin,
    ...(own && { context: own.name }),
    ...(token && { token, tokenOrigin: env['SVC_TOKEN'] ? 'environment' : 'context' }),
    ...(workspace && {
      workspace,
      workspaceOrigin: flags.workspace ? 'flag' : env['SVC_WORKSPACE'] ? 'environment' : 'context',
    }),
  }
}

/** Whether the server is the daemon of this machine's data folder. */
export const isLocal = ({ target, serverOrigin }: Session, env: Env = process.env): boolean =>
  serverOrigin === 'default' || target.key === localSocket(env).key

/** The workspace that commands work in, for those that need one in their path. */
export function workspaceInUse({ workspace }: Session): string {
  if (!workspace) throw new InputError('No workspace is in use.', 'muster workspaces use SLUG, or -w SLUG')
  return workspace
}

function contextNamed(file: ContextFile, asked: string | undefined): { name: string; context: Context } | undefined {
  const name = asked ?? file.current
  if (name === undefined) return undefined
  const context = Object.hasOwn(file.contexts, name) ? file.contexts[name] : undefined
  if (context) return { name, context }
  if (asked === undefined) return undefined
  throw new NotFound('context', asked, nearest(asked, Object.keys(file.contexts)), 'muster contexts list')
}

function serverOf(
  flags: SessionFlags,
  env: Env,
  context: Context | undefined,
  project: Pick<Project, 'context'>,
): [Origin, string | undefined] {
  if (flags.server) return ['flag', flags.server]
  if (flags.context && context) return ['context', context.server]
  if (env['SVC_SERVER']) return ['environment', env['SVC_SERVER']]
  if (env['SVC_CONTEXT'] && context) return ['environment', context.server]
  if (env['SVC_DATA_DIR'] || !context) return ['default', undefined]
  return [project.context ? 'project' : 'context', context.server]
}

/** The context whose server is this one. A token is never taken from any other. */
function contextOf(file: ContextFile, target: Target): { name: string; context: Context } | undefined {
  const found = Object.entries(file.contexts).find(([, context]) => sameServer(context, target))
  return found && { name: found[0], context: found[1] }
}

/** Whether a context is for this server. */
export function sameServer({ server }: Context, target: Target): boolean {
  try {
    return parseTarget(server).key === target.key
  } catch {
    return false
  }
}

/** Reads an address, saying in the CLI's way what is wrong with it. */
export function readTarget(address: string): Target {
  try {
    return parseTarget(address)
  } catch (error) {
    throw new InputError((error as Error).message, 'muster contexts list')
  }
}

/** The unix socket of this machine's daemon, which only the owner of its data folder can open. */
export const localSocket = (env: Env = process.env): Target =>
  parseTarget(`unix://${encodeURI(join(dataDir(env), 'musterd.sock'))}`)

/**
 * Where the daemon of this machine may listen besides its socket: the address that it left in its data folder, else the
 * port that is set for it. Whatever answers there has to prove that it is this daemon.
 */
export function localAddress(env: Env = process.env): Target | undefined {
  const { url } = runtimeFile(join(dataDir(env), 'musterd.json'))
  if (url === undefined && env['SVC_PORT'] === '0') return undefined
  return readTarget(url ?? usualAddress(env))
}

/** Where browsers and other devices find the server: the daemon's socket is no place for them. */
export function webAddress(target: Target, env: Env = process.env): Target {
  return target.socket ? readTarget(runtimeFile(join(dataDir(env), 'musterd.json')).url ?? usualAddress(env)) : target
}

/** Where it is when nothing says otherwise. A port that there is not is for the daemon to refuse. */
function usualAddress(env: Env): string {
  const port = Number(env['SVC_PORT'])
  return `http://127.0.0.1:${port > 0 && port < 65_536 ? port : 8080}`
}

/** What a running daemon left beside its data. Empty when none did, and where it is none of a daemon's. */
export function runtimeFile(path: string): { socket?: string; url?: string; pid?: number; version?: string } {
  try {
    const { socket, url, pid, version } = JSON.parse(readFileSync(path, 'utf8'))
    if (url !== undefined) parseTarget(url)
    // Signals to 0 and below reach whole groups of processes.
    if (pid !== undefined && !(Number.isInteger(pid) && pid > 0)) return {}
    return { socket, url, pid, version }
  } catch {
    return {}
  }
}
