import { serveReads } from '#kernel/store/reads-thread'
import { openSubjectJobs } from './features/admin/subjects/find.ts'
import { openAuditJobs } from './features/audit/find.ts'
import { openChatJobs } from './features/chats/search/find.ts'
import { openJournalJobs } from './features/journal/jobs.ts'
import { openMetricJobs } from './features/metrics/measures.ts'
import { openExpressionJobs } from './features/routines/definitions/long.ts'
import { openPatchJobs } from './features/routines/versions/patches.ts'

const jobs = [openChatJobs, openSubjectJobs, openAuditJobs, openMetricJobs, openExpressionJobs, openPatchJobs]

// The program of the daemon's reading threads (daemon/kernel/store/reads.ts).
serveReads((place) => {
  const journal = openJournalJobs(place)
  const others = jobs.map((open) => open(place).run)
  return { ...journal, run: Object.assign({}, journal.run, ...others) }
})
