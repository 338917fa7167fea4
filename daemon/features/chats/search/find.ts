import type { Db } from '#kernel/store/db'
import type { OpenJobs } from '#kernel/store/reads'
import { type Match, queries } from './queries.ts'
import { counterOf, matchText } from './text.ts'

/** A search, planned on the main thread. */
export interface Wanted {
  phrase: string
  /** Ids of the workspace or the agents whose messages are searched. */
  scope: readonly string[]
  /** Only messages of these agents count. */
  agents: readonly string[]
  /** Only messages with lower numbers are looked at; null for all. */
  below: number | null
  limit: number
}

export interface Candidate {
  number: number
  chat: string
}

export interface Found {
  /** Best first, and of equals the newest. */
  candidates: Candidate[]
  /** Where to go on; null when no older message matches. */
  below: number | null
  /** Time ran out before enough matches were found. */
  cut: boolean
}

/** Matches that are ranked, the newest; as many as are asked for when those are more. */
const fewestRanked = 64
/** Milliseconds after which nothing more is looked for when there are as many matches as asked for, and in any case. */
const enoughMs = 8
const longestMs = 250
/** Numbers looked at in the first step, and how many times more in the next one at most. */
const [firstSpan, mostGrowth] = [2_048, 8]

/**
 * Finds the newest messages with a phrase and ranks them. What a search costs does not grow with the number of
 * messages that match: the function `bm25` of SQLite would visit each of them.
 */
export function createFinder(db: Db, clock: () => number = () => performance.now()) {
  const { matches, ends } = queries(db)
  return db.transaction((wanted: Wanted): Found => {
    const expression = matchText(wanted.phrase, wanted.scope)
    const agents = new Set(wanted.agents)
    const ranked = Math.max(fewestRanked, wanted.limit)
    const begun = clock()
    const { low, high } = ends.get()!
    const floor = (low ?? 0) - 1
    const found: Match[] = []
    let below = wanted.below ?? (high ?? 0) + 1
    let cut = false
    for (let span = firstSpan; below > floor + 1 && found.length < ranked; ) {
      const after = Math.max(floor, below - span - 1)
      const most = ranked - found.length
      const chunk = matches.all(expression, after, below, most)
      found.push(...chunk.filter(({ agent_id }) => agents.has(agent_id)))
      const next = chunk.length === most ? chunk.at(-1)!.number : after + 1
      span = (below - next) * growth(chunk.length, (found.length < wanted.limit ? wanted.limit : ranked) - found.length)
      below = next
      const spent = clock() - begun
      cut = spent > longestMs && found.length < wanted.limit && below > floor + 1
      if (cut || (spent > enoughMs && found.length >= wanted.limit)) break
    }
    return { candidates: rank(wanted.phrase, found), below: below > floor + 1 ? below : null, cut }
  })
}

/** How many times larger the next step should be to find what is missing. */
const growth = (found: number, missing: number) =>
  found === 0 ? mostGrowth : Math.min(mostGrowth, Math.max(1, Math.ceil((1.25 * missing) / found)))

/** Parameters of BM25: how soon more occurrences count less, and how much a long text counts less. */
const [k1, b] = [1.2, 0.75]

/**
 * Okapi BM25 of one phrase. How rare the phrase is does not matter, as that is the same for all matches; lengths are
 * compared with the mean of these messages.
 */
function rank(phrase: string, matches: Match[]): Candidate[] {
  const count = counterOf(phrase)
  const lengthOf = ({ content, tool_summary }: Match) => content.length + (tool_summary?.length ?? 0)
  const mean = matches.reduce((sum, it) => sum + lengthOf(it), 0) / matches.length || 1
  const scored = matches.map((it) => {
    const times = Math.max(1, count(it.content) + (it.tool_summary ? count(it.tool_summary) : 0))
    const score = (times * (k1 + 1)) / (times + k1 * (1 - b + (b * lengthOf(it)) / mean))
    return { number: it.number, chat: it.chat_id, score }
  })
  return scored
    .sort((one, other) => other.score - one.score || other.number - one.number)
    .map(({ number, chat }) => ({ number, chat }))
}

/** The job of the reading thread. */
export const openChatJobs: OpenJobs = ({ journal: db }) => {
  const finder = createFinder(db)
  return { grown: () => false, run: { chats: (wanted: Wanted) => JSON.stringify(finder(wanted)) } }
}
