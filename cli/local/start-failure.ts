import { statfsSync } from 'node:fs'
import type { OwnCode } from '../help/problems.ts'
import { dataDir } from '../paths.ts'
import { StartFailure } from './refusal.ts'

/** Kinds of failure by the daemon's exit code; docs/operating.md lists them. */
const kinds: Readonly<Record<number, OwnCode>> = {
  2: 'invalid_configuration',
  3: 'state_lost',
  4: 'data_dir_in_use',
  5: 'access_refused',
  6: 'storage_refused',
  7: 'address_taken',
  8: 'other_version',
}

interface End {
  code: number | null
  signal: string | null
  /** Milliseconds that it had to get ready. */
  timeout: number
  /** What it logged. */
  logged: readonly string[]
  env: NodeJS.ProcessEnv
}

/** Why a daemon did not come up, in its own words. */
export function startFailure({ code, signal, timeout, logged, env }: End): StartFailure {
  const kind = kinds[code ?? 1]
  if (signal === 'SIGKILL')
    return new StartFailure(`The daemon was not ready within ${timeout / 1000} s and was ended.`)
  const at = logged.findLastIndex((line) => line.startsWith('musterd: '))
  if (at < 0) return new StartFailure(withoutWords(code ?? signal, logged.at(-1), env), kind)
  const next = /^Next: (.*)/.exec(logged[at + 1] ?? '')?.[1]
  return new StartFailure(logged[at]!.slice('musterd: '.length), kind, next && asMuster(next))
}

/** The daemon speaks to those who start it by hand; what it says, to those who use `muster up`. */
export const asMuster = (text: string): string =>
  text.replace(/\bmusterd( --[\w-]+) \((muster up\1)\)/g, '$2').replaceAll(/\bmusterd(?= --|$)/g, 'muster up')

/** On a full disk nothing can be logged. */
function withoutWords(end: number | string | null, last: string | undefined, env: NodeJS.ProcessEnv): string {
  const { bavail } = statfsSync(dataDir(env))
  if (bavail === 0) return `The disk of ${dataDir(env)} is full: the daemon could neither start nor log why.`
  return `The daemon ended with ${end}: ${last || 'it said nothing'}`
}
