import type { Static } from 'typebox'
import type { Client } from '#client'
import type { InboxItem } from '#contract/inbox'
import type { Run } from '#contract/runs'
import { visible } from '../inbox/alerts.ts'

type RunRow = Static<typeof Run>
type Item = Static<typeof InboxItem>

/** A run that is not over, and what it waits for. */
export interface Standing {
  run_id: string
  agent: string | null
  crew: string | null
  state: 'queued' | 'working' | 'waiting'
  /** Since when it is in this state. */
  since: string
  waits_for: string | null
  question: string | null
  inbox_id: string | null
}

const pageSize = 100
const itemsRead = 500

/** Everything that runs, waits for people or is queued, newest first. */
export async function standings(api: Client, workspaceId: string | undefined): Promise<Standing[]> {
  const runs = await openRuns(api)
  if (!runs.length) return []
  const { rows } = await api.inbox.list({ query: { state: 'active', limit: itemsRead } })
  const items = new Map(rows.filter(({ blocking, run_id }) => blocking && run_id).map((item) => [item.run_id!, item]))
  const people = await names(api, workspaceId)
  const found = runs.map(async (run) => standing(run, items.get(run.id) ?? (await itemOf(api, run)), people))
  return Promise.all(found)
}

async function openRuns(api: Client): Promise<RunRow[]> {
  const runs: RunRow[] = []
  for (let page = 1; ; page++) {
    const { data, pagination } = await api.runs.list({ query: { status: 'RUNNING', limit: pageSize, page } })
    runs.push(...data)
    if (page >= pagination.total_pages) return runs
  }
}

/** What it waits for, where that is in none of the newest items. */
const itemOf = async (api: Client, { inbox_item_id: id }: RunRow): Promise<Item | null> =>
  id ? visible(api, id) : null

type Names = (userId: string) => string

async function names(api: Client, workspaceId: string | undefined): Promise<Names> {
  const { id: own } = await api.users.me()
  const members = workspaceId
    ? await api.members.list({ workspaceId, query: { limit: itemsRead } }).catch(() => [])
    : []
  const known = new Map(members.map(({ user_id, user }) => [user_id, user.email]))
  return (id) => (id === own ? 'you' : (known.get(id) ?? 'somebody else'))
}

function standing(run: RunRow, item: Item | null, nameOf: Names): Standing {
  const waits = item !== null || run.parked_at !== undefined
  return {
    run_id: run.id,
    agent: run.agent_slug,
    crew: run.crew_name,
    state: waits ? 'waiting' : run.queued ? 'queued' : 'working',
    since: run.parked_at ?? item?.created_at ?? run.started_at,
    waits_for: item ? whoDecides(item, nameOf) : waits ? 'somebody else' : null,
    question: item?.title ?? null,
    inbox_id: item?.id ?? run.inbox_item_id ?? null,
  }
}

function whoDecides({ target_user_id, target_role }: Item, nameOf: Names): string {
  if (target_user_id) return nameOf(target_user_id)
  return target_role ? `${target_role.toLowerCase()} and above` : 'anybody'
}
