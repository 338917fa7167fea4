import type { Client } from '#client'
import { InputError } from '../input.ts'

/** Who the caller is, and where: what broadcasts are heard and told apart by. */
export interface Here {
  userId: string
  workspaceId: string
  slug: string
}

/** Broadcasts go by the id of the workspace, which is chosen by slug or id. */
export async function whereIAm(api: Client, chosen: string | undefined): Promise<Here> {
  const [user, own] = await Promise.all([api.users.me(), api.workspaces.list({ query: { limit: 500 } })])
  const found =
    chosen === undefined && own.length === 1 ? own[0] : own.find(({ id, slug }) => chosen === id || chosen === slug)
  if (!found)
    throw new InputError(
      chosen === undefined ? 'No workspace is in use.' : `You are not a member of a workspace "${chosen}".`,
      'muster workspaces list',
    )
  return { userId: user.id, workspaceId: found.id, slug: found.slug }
}
