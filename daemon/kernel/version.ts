import { readFileSync } from 'node:fs'

declare const MUSTER_VERSION: string | undefined

/** The version of package.json, which the build inlines. */
export const version: string =
  typeof MUSTER_VERSION === 'string'
    ? MUSTER_VERSION
    : (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version
