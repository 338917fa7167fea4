import { actorTypes } from '#contract/entries'
import type { Range } from '#kernel/journal/timeline'
import type { OpenJobs } from '#kernel/store/reads'
import { countDue, type DueQuestion } from './compaction/due.ts'
import { type AboutQuestion, findAbout } from './erasure/about.ts'
import type { Plan } from './plan.ts'
import type { Question } from './proof.ts'
import { createReader, cursorOf, reply } from './reader.ts'
import { createSearch, type SearchPlan } from './search.ts'
import { createTotals } from './totals.ts'
import { verifyPart } from './verify.ts'
import type { Walked } from './walk.ts'

/** Reads that may take long: full-text searches, unbounded lists and counts, and the verification of the chain. */
export const openJournalJobs = (
  { journal, index }: Parameters<OpenJobs>[0],
  longestLag?: number,
): ReturnType<OpenJobs> => {
  const reader = createReader(journal)
  const totals = createTotals(journal)
  const search = createSearch(journal, index, reader, actorTypes, longestLag)
  const oldest = journal.prepare<[number], string>('SELECT doc FROM journal WHERE seq > ? ORDER BY seq LIMIT 1').pluck()

  return {
    grown: (lane, head) => lane === 'search' && search.work(head),
    run: {
      list: ({ plan, limit }: { plan: Plan; limit: number }) => reply(reader.find(plan, limit + 1), limit),
      count: ({ plan }: { plan: Plan }) => String(reader.count(plan)),
      totals: ({
        ws,
        combos,
        all,
        range,
        head,
      }: {
        ws: number
        combos: { combo: number }[] | null
        all: number
        range: Range
        head: number
      }) => String(totals.within(ws, combos, all, range, head)),
      search: ({ plan, limit }: { plan: SearchPlan; limit: number }) => {
        const { seqs, rest } = search.find(plan, limit + 1)
        return reply(
          reader.docs(seqs),
          limit,
          rest === undefined || seqs.length > limit ? undefined : cursorOf(oldest.get(rest)!),
        )
      },
      searchCount: ({ plan }: { plan: SearchPlan }) => JSON.stringify(search.count(plan)),
      due: async (question: DueQuestion) => JSON.stringify(await countDue(journal, question)),
      wake: () => '',
      about: async (question: AboutQuestion) => JSON.stringify(await findAbout(journal, question)),
      verifyPart: async ({ question, from, ms }: { question: Question; from: Walked | null; ms: number }) =>
        JSON.stringify(await verifyPart(journal, question, from, ms)),
    },
  }
}
