import { serveReads } from '#kernel/store/reads-thread'
import { openChatJobs } from './features/chats/search/find.ts'
import { openJournalJobs } from './features/journal/jobs.ts'
import { openExpressionJobs } from './features/routines/definitions/long.ts'
import { openPatchJobs } from './features/routines/versions/patches.ts'

// The program of the daemon's reading threads (daemon/kernel/store/reads.ts).
serveReads((place) => {
  const journal = openJournalJobs(place)
  const others = [openChatJobs, openExpressionJobs, openPatchJobs].map((open) => open(place).run)
  return { ...journal, run: Object.assign({}, journal.run, ...others) }
})
