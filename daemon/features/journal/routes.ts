import { journal } from '#contract/journal'
import { feature, staged } from '#kernel/feature'
import { anchorOf, verify } from './anchor.ts'
import { compactJournals } from './compaction/jobs.ts'
import * as compaction from './compaction/service.ts'
import { eraseAsked } from './erasure/jobs.ts'
import * as erasure from './erasure/service.ts'
import { readFilter } from './filter.ts'
import { openJournalJobs } from './jobs.ts'
import { createLive } from './live.ts'
import { createJournalReads } from './reads.ts'
import { list, lookUp, setPriority, show } from './service.ts'
import { types } from './types.ts'
import { verifyAloud } from './verification/service.ts'

export default feature(
  journal,
  (app) => {
    app.reads.provide(openJournalJobs)
    const reads = createJournalReads(app)
    const live = createLive(app, reads)
    return {
      list: async (call) => {
        call.web.reply.type('application/json')
        return Buffer.from(await list(app, reads, call))
      },
      count: async ({ actor, query }) => ({ total: await reads.count(actor.workspace, readFilter(query)) }),
      lookup: ({ actor }) => lookUp(app, actor.workspace),
      types: () => ({ types: [...types] }),
      stream: (call) => live.open(call),
      anchor: ({ actor, now }) => anchorOf(app, actor.workspace, now),
      verify: (call) => verify(app, reads, call),
      verification: (call) => verifyAloud(app, reads, call),
      compaction: ({ actor }) => compaction.show(app, actor.workspace),
      compact: staged(
        (call) => compaction.prepare(app, call),
        (call, asked) => compaction.begin(app, call, asked),
      ),
      erase: (call) => erasure.erase(app, call),
      erasures: (call) => erasure.list(app, call),
      show: (call) => {
        call.web.reply.type('application/json')
        return show(app, call)
      },
      priority: (call) => setPriority(app, call),
    }
  },
  { channels: { journal: (_, id) => id }, jobs: [compactJournals, eraseAsked] },
)
