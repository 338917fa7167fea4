import { serveReads } from '#kernel/store/reads-thread'
import { openChatJobs } from './features/chats/search/find.ts'
import { openJournalJobs } from './features/journal/jobs.ts'

// The program of the daemon's reading threads (daemon/kernel/store/reads.ts).
serveReads((place) => {
  const journal = openJournalJobs(place)
  return { ...journal, run: { ...journal.run, ...openChatJobs(place).run } }
})
