import { serveReads } from '#kernel/store/reads-thread'
import { openJournalJobs } from './features/journal/jobs.ts'

// The program of the daemon's reading threads (kernel/reads.ts).
serveReads(openJournalJobs)
