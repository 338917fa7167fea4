import type { Client } from '#client'
import { distance } from './resolve.ts'

/** Nothing has that name; `next` lists what there is. */
export class NotFound extends Error {
  readonly next: string
  constructor(noun: string, name: string, near: string | undefined, next: string) {
    super(`There is no ${noun} "${name}"${near ? `; did you mean "${near}"?` : '.'}`)
    this.next = next
  }
}

const looksLikeId = (text: string) => /^c[a-z0-9]{24}$/.test(text)
const pageSize = 500

type Fetch<T> = (window: { limit: number; offset: number }) => Promise<T[]>

/** Id of the row with that name. Ids are taken as they are: the server knows best whether they exist. */
async function idByName<T extends { id: string }>(
  noun: string,
  name: string,
  fetch: Fetch<T>,
  nameOf: (row: T) => string,
  { lookUpIds = false, next = `muster ${noun}s list` } = {},
): Promise<string> {
  if (looksLikeId(name) && !lookUpIds) return name
  const names: string[] = []
  for (let offset = 0; ; offset += pageSize) {
    const rows = await fetch({ limit: pageSize, offset })
    const found = rows.find((row) => nameOf(row) === name)
    if (found) return found.id
    names.push(...rows.map(nameOf))
    if (rows.length < pageSize) break
  }
  throw new NotFound(noun, name, nearest(name, names), next)
}

/** The name that was most likely meant. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const near = names.map((it) => ({ it, far: distance(it, name) })).sort((a, b) => a.far - b.far)[0]
  return near && near.far <= Math.max(1, name.length / 3) ? near.it : undefined
}

/** Id of a crew given by slug or id. */
export const crewId = (api: Client, crew: string): Promise<string> =>
  idByName(
    'crew',
    crew,
    (query) => api.crews.list({ query }),
    ({ slug }) => slug,
  )

/** Id of an agent given by slug or id. */
export const agentId = (api: Client, agent: string): Promise<string> =>
  idByName(
    'agent',
    agent,
    (query) => api.agents.list({ query }),
    ({ slug }) => slug,
  )

/** Id of a member of the workspace given by email or id of the person. */
export const userId = (api: Client, workspaceId: string, user: string): Promise<string> =>
  idByName(
    'member',
    user.toLowerCase(),
    async (query) => (await api.members.list({ workspaceId, query })).map(({ user }) => user),
    ({ email }) => email,
  )

/** Membership of a person in a crew, given by email, id of the person or id of the membership. */
export async function crewMemberId(api: Client, crewId: string, user: string): Promise<string> {
  const wanted = user.toLowerCase()
  const find = async (query: { limit: number; offset: number }) => {
    const rows = await api.crews.members({ crewId, query })
    return rows.map((row) => ({ ...row, name: row.user_id === wanted || row.id === wanted ? wanted : row.user.email }))
  }
  return idByName('member', wanted, find, ({ name }) => name, { lookUpIds: true, next: 'muster crews members CREW' })
}

/** Id of a credential given by name or id. */
export const credentialId = (api: Client, credential: string): Promise<string> =>
  idByName(
    'credential',
    credential,
    (query) => api.credentials.list({ query }),
    ({ name }) => name,
  )

/** A member given by address, user id or membership id. */
export async function memberOf(api: Client, workspaceId: string, member: string) {
  const wanted = member.toLowerCase()
  for (let offset = 0; ; offset += pageSize) {
    const rows = await api.members.list({ workspaceId, query: { limit: pageSize, offset } })
    const found = rows.find(({ id, user_id, user }) => [id, user_id, user.email].includes(wanted))
    if (found) return found
    if (rows.length < pageSize) throw new NotFound('member', member, undefined, 'muster members list')
  }
}

/** Id of an invitation given by itself or by the address that is invited. */
export const invitationId = (api: Client, workspaceId: string, invitation: string): Promise<string> =>
  idByName(
    'invitation',
    invitation.toLowerCase(),
    (query) => api.invitations.list({ workspaceId, query }),
    ({ email }) => email,
  )

/** Id of an invitation to the caller, given by itself or by the slug of the workspace. */
export const ownInvitationId = (api: Client, invitation: string): Promise<string> =>
  idByName(
    'invitation',
    invitation,
    (query) => api.invitations.mine({ query }),
    ({ workspace }) => workspace.slug,
    { next: 'muster invitations mine' },
  )

/** Slug of a workspace of the caller; its id where there is none any more. */
export async function slugOfWorkspace(api: Client, id: string): Promise<string> {
  const own = await api.workspaces.list({ query: { limit: pageSize } })
  return own.find((workspace) => workspace.id === id)?.slug ?? id
}
