import { serveReads } from '#kernel/store/reads-thread'
import { openJournalJobs } from './features/journal/jobs.ts'

// The program of the daemon's reading threads (daemon/kernel/store/reads.ts).
serveReads(openJournalJobs)
