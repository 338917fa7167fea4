import type { Target } from '#client'
import type { Trying } from '../changing.ts'
import { exclusively } from '../exclusively.ts'
import { InputError } from '../input.ts'
import { changed } from '../local-change.ts'
import { NotFound, nearest } from '../lookup/find.ts'
import { configFile } from '../paths.ts'
import { type Context, type ContextFile, readContexts, writeContexts } from './file.ts'
import { sameServer } from './session.ts'

/** Reads the stored contexts, changes them and writes them back. */
export async function changeContexts(
  change: (file: ContextFile) => void,
  tried?: Trying,
  path = configFile(),
): Promise<void> {
  const rewrite = async () => writeContexts(path, changed(path, await readContexts(path), change, tried))
  await (tried ? rewrite() : exclusively(path, rewrite))
}

/** The context of that name; refuses a name that is not stored. */
export function need({ contexts }: ContextFile, name: string): Context {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined
  if (found) return found
  const names = Object.keys(contexts)
  throw new NotFound('context', name, nearest(name, names), names.length ? 'muster contexts list' : 'muster login')
}

/** Refuses a name that would be hard to type or is taken. */
export function checkName({ contexts }: ContextFile, name: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name))
    throw new InputError(`"${name}" cannot name a context: use letters, digits, dots, dashes and underscores.`)
  if (Object.hasOwn(contexts, name))
    throw new InputError(`There is already a context "${name}".`, 'muster contexts list')
}

/** A free name for a server: `local` for this machine's daemon, else its host. */
export function nameFor({ contexts }: ContextFile, address: string): string {
  const host = address.startsWith('unix:')
    ? 'local'
    : new URL(address).hostname.replace(/[^A-Za-z0-9.-]/g, '') || 'server'
  const taken = (name: string) => Object.hasOwn(contexts, name)
  if (!taken(host)) return host
  for (let n = 2; ; n++) if (!taken(`${host}-${n}`)) return `${host}-${n}`
}

/** Follows a workspace that has another slug now, or none, in every context of its server that works in it. */
export async function followSlug(
  server: Target,
  before: string,
  after: string | undefined,
  path = configFile(),
): Promise<void> {
  const concerned = ({ contexts }: ContextFile) =>
    Object.values(contexts).filter((context) => context.workspace === before && sameServer(context, server))
  if (!concerned(await readContexts(path)).length) return
  await changeContexts(
    (file) => {
      for (const context of concerned(file)) {
        if (after === undefined) delete context.workspace
        else context.workspace = after
      }
    },
    undefined,
    path,
  )
}
