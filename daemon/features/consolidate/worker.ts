import type { LearnedRule } from '#contract/consolidate'
import { type Entry, fact } from '#contract/entries'
import { type App, wholeSeconds } from '#kernel/app'
import { knownSecrets } from '../credentials/delivery/service.ts'
import { walk } from '../journal/service.ts'
import { filesOf, learnedDayOf, readFile, refusedText } from '../memory/service.ts'
import { ask } from '../models/asking/service.ts'
import { folded, listIn, usable } from './parse.ts'
import { forgetRead, waitingOf } from './permanents.ts'
import { pin } from './pins.ts'
import { learnedFrom, promptOf, system, teaches } from './prompt.ts'
import { type CrewRow, queries } from './queries.ts'
import { propose } from './service.ts'
import { modelOf, type Summarizer } from './summarizer.ts'

/** Entries that a summarizer is given at most, the newest and those that wait. */
const mostEntries = 500
/** Fewer teach nothing, unless one of them is to stay for ever. */
const fewest = 10
const day = 86_400_000
/** Days for which what was learned, proposed or rejected is not proposed again. */
const remembered = 7

interface Consolidating {
  summarizer: Summarizer
  /** Milliseconds that the journal is read back. */
  since: number
  signal: AbortSignal
}

/** Reads the journal of a crew and proposes rules; how many, null where there was too little to read. */
export async function consolidate(app: App, crew: CrewRow, it: Consolidating): Promise<number | null> {
  const { summarizer, since, signal } = it
  const from = new Date(app.clock() - since).toISOString()
  await pin(app, crew)
  const waiting = waitingOf(app, crew)
  const entries = await entriesOf(app, crew, from, waiting)
  if (entries.length < fewest && !entries.some(({ priority }) => priority === 'permanent')) return null
  const model = await modelOf(app, crew.workspace_id, summarizer)
  const prompt = promptOf(entries, withoutSecrets(app, crew.workspace_id))
  const found = listIn(await ask(app, summarizer, { model, system, prompt }, signal))
  const ids = new Set(entries.map(({ id }) => id))
  const refused = (text: string) => refusedText(text) !== null
  // What is known is looked up within the change: somebody may have approved the same rule meanwhile.
  return app.write(() => {
    if (!queries(app.db).crew.get(crew.workspace_id, crew.id)) return null
    forgetRead(app, waiting)
    const rules = usable(found, { ids, known: knownPatterns(app, crew.id), refused })
    const about = { entriesScanned: entries.length, model: model.slice(0, 200), now: app.now() }
    if (rules.length) propose(app, { crew, rules, ...about, actor: { actor_type: 'system' } })
    else nothing(app, crew, about, found.length)
    return rules.length
  })
}

type About = { entriesScanned: number; model: string }

function nothing(app: App, { id, workspace_id }: CrewRow, { entriesScanned, model }: About, dropped: number): void {
  const said = { rules_count: 0 as const, entries_scanned: entriesScanned, skipped: false as const, model, dropped }
  app.journal(fact('memory.nothing_learned', said, { workspace_id, crew_id: id, actor_type: 'system' }))
}

/** The newest that teach, and those that wait whatever their age and type, oldest first. */
async function entriesOf(
  app: App,
  { id, workspace_id }: CrewRow,
  since: string,
  waiting: readonly Entry[],
): Promise<Entry[]> {
  const found = new Map(waiting.map((entry) => [entry.id, entry]))
  for await (const entries of walk(app, workspace_id, { crew_id: id, entry_type: learnedFrom.join(','), since })) {
    for (const entry of entries) if (found.size < mostEntries && teaches(entry)) found.set(entry.id, entry)
    if (found.size >= mostEntries) break
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Secrets of the workspace stand in no entry; should one do so all the same, it goes nowhere. */
function withoutSecrets(app: App, workspace: string): (text: string) => string {
  const secrets = knownSecrets(app, workspace).filter((secret) => secret.length >= 6)
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
}

/** Patterns, folded, that crews learned lately, that wait for people, or that people rejected lately. */
function knownPatterns(app: App, crew: string): Set<string> {
  const since = wholeSeconds(app.clock() - remembered * day)
  const texts = filesOf(app, crew)
    .filter(({ name }) => (learnedDayOf(name) ?? '') >= since.slice(0, 10))
    .map(({ name }) => readFile(app, crew, name)!.content)
  const written = texts.flatMap((text) => [...text.matchAll(/\*\*Pattern:\*\*(.*)/g)].map(([, pattern]) => pattern!))
  const proposed = queries(app.db)
    .ofCrew.all(crew, since)
    .flatMap(({ evidence_json }) => (JSON.parse(evidence_json) as LearnedRule[]).map(({ pattern }) => pattern))
  return new Set([...written, ...proposed].map(folded))
}
