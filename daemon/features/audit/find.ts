import type { OpenJobs } from '#kernel/store/reads'
import { pageOf, type Wanted } from './queries.ts'

/** What reading threads do for the audit list: it reads the text of every entry of its types. */
export const openAuditJobs: OpenJobs = ({ journal: db }) => ({
  run: { audit: (wanted: Wanted) => JSON.stringify(db.transaction(() => pageOf(db, wanted))()) },
  grown: () => false,
})
