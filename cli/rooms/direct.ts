import { randomUUID } from 'node:crypto'
import type { Client } from '#client'
import { roomKinds } from '#client/words'

/** The direct room with a person, opened at the first time. */
export const directRoom = (api: Client, user: string) =>
  api.rooms.create({ body: { kind: roomKinds[0], is_direct: true, member_ids: [user], client_id: randomUUID() } })
