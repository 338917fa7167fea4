import { hash } from 'node:crypto'
import { clientIdLimit, type RoomKind, roomTitleLimit } from '#contract/rooms'
import { blankToNull, cleanName } from '#kernel/http/fields'
import { problem } from '#kernel/problem'

/** A room as a request describes it, normalised: requests that mean the same are equal. */
export interface Wanted {
  kind: RoomKind
  is_direct: boolean
  title: string | null
  agent_id: string | null
  /** Without the caller, each once, in order. */
  invited: readonly string[]
}

interface Asked {
  kind: RoomKind
  is_direct?: boolean
  title?: string | null
  agent_id?: string | null
  member_ids?: readonly string[]
}

const refusal = (field: string, detail: string) => problem('invalid_field', { field, detail })

/** What a request asks for. Refuses what is no room at all. */
export function wantedOf(body: Asked, caller: string): Wanted {
  const { kind, is_direct = false } = body
  const agent_id = blankToNull(body.agent_id)
  const invited = [...new Set(body.member_ids)].filter((id) => id !== caller).sort()
  if (kind === 'channel' && is_direct) throw refusal('is_direct', 'A channel is not direct')
  if (kind === 'channel' && !agent_id)
    throw problem('missing_field', { field: 'agent_id', detail: 'A channel needs an agent' })
  if (kind === 'group' && agent_id) throw refusal('agent_id', 'A group has no agent; a channel does')
  if (is_direct && invited.length !== 1)
    throw refusal('member_ids', 'A direct room is of two people: name one other person')
  return { kind, is_direct, title: titleOf(body.title, is_direct), agent_id, invited }
}

function titleOf(given: string | null | undefined, isDirect: boolean): string | null {
  const title = blankToNull(given)
  if (!isDirect && title === null) throw problem('missing_field', { field: 'title', detail: 'A room needs a title' })
  if (isDirect && title !== null) throw refusal('title', 'A direct room has no title')
  return title === null ? null : cleanName('title', title, { min: 1, max: roomTitleLimit, unit: 'characters' })
}

/** SHA-256 of what a request asks for. */
export const digestOf = ({ kind, is_direct, title, agent_id, invited }: Wanted): string =>
  hash('sha256', JSON.stringify([kind, is_direct, title, agent_id, invited]))

/** The two people of a direct room, whoever opens it. */
export const pairOf = (one: string, other: string): string => [one, other].sort().join(' ')

/** An id that a client gives a request, if it is one. */
export function checkClientId(id: string): string {
  const bytes = Buffer.byteLength(id)
  if (bytes < 1 || bytes > clientIdLimit) throw refusal('client_id', `client_id must have 1 to ${clientIdLimit} bytes`)
  return id
}
