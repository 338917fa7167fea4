import { homedir } from 'node:os'
import { join } from 'node:path'

type Env = NodeJS.ProcessEnv

const place = (env: Env, variable: string, fallback: string) =>
  env[variable] || join(env['HOME'] || homedir(), ...fallback.split('/'))

/** File that holds contexts and their tokens: `SVC_CONFIG`, else the user's configuration folder. */
export const configFile = (env: Env = process.env): string =>
  env['SVC_CONFIG'] || join(place(env, 'XDG_CONFIG_HOME', '.config'), 'muster', 'config.yaml')

/** Folder of the local daemon's data. */
export const dataDir = (env: Env = process.env): string =>
  env['SVC_DATA_DIR'] || join(place(env, 'XDG_DATA_HOME', '.local/share'), 'muster')

/** Folder of what may be lost. */
export const cacheDir = (env: Env = process.env): string => join(place(env, 'XDG_CACHE_HOME', '.cache'), 'muster')

/** Folder of what commands remember from one time to the next. */
export const stateDir = (env: Env = process.env): string => join(place(env, 'XDG_STATE_HOME', '.local/state'), 'muster')

/** The bundled daemon, beside the bundled command line. */
export const daemonProgram = (): string => join(__dirname, '..', 'daemon', 'musterd.js')
