import { Args, Flags } from '@oclif/core'
import type { Client } from '#client'
import { InputError } from '../input.ts'

type State = 'read' | 'unread' | 'resolved'

export const moveOptions = {
  args: { items: Args.string({ multiple: true, description: 'ids of items' }) },
  flags: { all: Flags.boolean({ description: 'all open items that you can see' }) },
}

const batch = 500

/** Moves items, as many as there are; exit 1 when some were skipped or not found. */
export async function moveItems(
  api: Client,
  ids: string[],
  { all = false }: { all?: boolean | undefined },
  state: State,
) {
  if (all === ids.length > 0) throw new InputError('Name items, or give --all.', 'muster inbox list')
  if (ids.length === 1) {
    const reply = await api.inbox.update({ itemId: ids[0]!, body: { state } })
    return { sentence: `${reply.id} is ${reply.state}.`, reply, exit: 0 }
  }
  const wanted = all ? await openItems(api) : ids
  const reply = { updated: 0, skipped: 0, skipped_ids: [] as string[], not_found: [] as string[], state }
  for (let at = 0; at < wanted.length; at += batch) {
    const part = await api.inbox.bulk({ body: { ids: wanted.slice(at, at + batch), state } })
    reply.updated += part.updated
    reply.skipped += part.skipped
    reply.skipped_ids.push(...part.skipped_ids)
    reply.not_found.push(...part.not_found)
  }
  const rest = [
    reply.skipped && `${reply.skipped} left as they are (they wait for a decision)`,
    reply.not_found.length && `${reply.not_found.length} not found`,
  ]
  return {
    sentence: [`${reply.updated} ${state}`, ...rest].filter(Boolean).join(', '),
    reply,
    exit: reply.not_found.length || (!all && reply.skipped) ? 1 : 0,
  }
}

async function openItems(api: Client): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const { rows, has_more } = await api.inbox.list({ query: { state: 'active', limit: batch, offset: ids.length } })
    ids.push(...rows.map(({ id }) => id))
    if (!has_more) return ids
  }
}
