import { type Client, type Connection, createClient, type Target } from '#client'
import { choose, InputError, interactive } from '../input.ts'
import { configFile } from '../paths.ts'
import { changeContexts, checkName, nameFor } from './change.ts'
import { readContexts } from './file.ts'

export interface SignedIn {
  context: string
  server: string
  user: string
  workspace: string | null
}

interface Wanted {
  /** To the server, with the token to store. */
  connection: Connection
  token: string
  /** Workspace by slug or id; else the stored one, the only one, or one that is asked for. */
  workspace?: string | undefined
  /** Name to store the server under; else the name that it has, or one made of its address. */
  as?: string | undefined
}

/** Checks a token with its server and stores it, bound to that server, which becomes the current one. */
export async function signIn({ connection, token, workspace, as }: Wanted): Promise<SignedIn> {
  const { target } = connection
  const client = createClient(connection)
  const { user_email: user } = await client.tokens.validate()
  const file = await readContexts(configFile())
  const known = Object.entries(file.contexts).find(([, { server }]) => server === target.key)
  const slug = await workspaceOf(client, workspace, known?.[1].workspace)
  const name = as ?? known?.[0] ?? nameFor(file, target.key)
  await changeContexts((now) => {
    if (as !== undefined && as !== known?.[0]) checkName(now, as)
    const before = now.contexts[known?.[0] ?? name]
    if (known && known[0] !== name) delete now.contexts[known[0]]
    now.contexts[name] = { ...before, server: target.key, user, token, ...(slug && { workspace: slug }) }
    now.current = name
  })
  return { context: name, server: target.key, user, workspace: slug ?? null }
}

async function workspaceOf(
  client: Client,
  wanted: string | undefined,
  stored: string | undefined,
): Promise<string | undefined> {
  const all = await client.workspaces.list({ query: { limit: 500 } })
  const find = (name: string) => all.find(({ id, slug }) => slug === name || id === name)?.slug
  if (wanted !== undefined) {
    const slug = find(wanted)
    if (slug) return slug
    throw new InputError(
      'You belong to no workspace ' +
        `"${wanted}"${all.length ? `; there are ${all.map(({ slug }) => slug).join(', ')}` : ''}.`,
    )
  }
  const kept = stored && find(stored)
  if (kept || all.length < 2) return kept || all[0]?.slug
  if (!interactive()) return all[0]?.slug
  return choose(
    'Which workspace do you want to work in?',
    all.map(({ slug, name, currentUserRole: role }) => ({
      value: slug,
      name: slug,
      description: `${name}${role ? `, as ${role.toLowerCase()}` : ''}`,
    })),
  )
}

/** True when the connection to this server is not encrypted. */
export const travelsOpenly = ({ secure, socket, host }: Target): boolean =>
  !secure && !socket && !/^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host ?? '')
