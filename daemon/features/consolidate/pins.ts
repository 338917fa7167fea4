import type { Entry } from '#contract/entries'
import type { App } from '#kernel/app'
import { Problem } from '#kernel/problem'
import { walk } from '../journal/service.ts'
import { appended, type Place, store } from '../memory/service.ts'
import { type CrewRow, queries } from './queries.ts'

const most = 100

/** Puts entries that people pinned, of any age, into the pins of the crew: each once, as long as there is room. */
export async function pin(app: App, crew: CrewRow): Promise<void> {
  const found: Entry[] = []
  for await (const entries of walk(app, crew.workspace_id, { crew_id: crew.id, priority: 'pin' })) {
    found.push(...entries.filter(({ id }) => !queries(app.db).isPinned.get(id)))
    if (found.length >= most) break
  }
  const oldestFirst = found.slice(0, most).reverse()
  if (oldestFirst.length) await app.write(() => oldestFirst.every((entry) => pinOne(app, crew, entry)))
}

function lineOf({ id, ts, entry_type, summary }: Entry): string {
  const text = summary.replace(/\s+/g, ' ').replaceAll('<!--', '< !--')
  return `- ${ts.slice(0, 10)} ${entry_type}: ${text} <!-- pin-id:${id} -->`
}

/** False when there is no room: the others wait until people make some. */
function pinOne(app: App, { id: crew, workspace_id }: CrewRow, entry: Entry): boolean {
  // Somebody else may have done so since it was found.
  if (queries(app.db).isPinned.get(entry.id)) return true
  const place: Place = {
    tier: 'crew',
    workspace_id,
    owner_id: crew,
    crew_id: crew,
    name: 'pins.md',
    path: `crew:${crew}/pins.md`,
  }
  const content = appended(app, place, lineOf(entry))
  const written = store(app, place, content, { actor: { actor_type: 'system' }, action: 'append', now: app.now() })
  const refused = written instanceof Problem
  if (refused && written.code !== 'memory_refused') return false
  queries(app.db).pin.run(entry.id, crew, refused ? 0 : 1)
  return true
}
