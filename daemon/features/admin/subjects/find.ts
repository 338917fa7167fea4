import type { OpenJobs } from '#kernel/store/reads'
import { blobsOf, dataOf, rowsOf, type Subject } from './queries.ts'

/** What reading threads do for exports and erasures: both look through whole tables. */
export const openSubjectJobs: OpenJobs = ({ journal: db }) => ({
  run: {
    subjectRows: (question: Parameters<typeof rowsOf>[1]) => JSON.stringify(rowsOf(db, question)),
    subjectBlobs: (subject: Pick<Subject, 'user' | 'workspace'>) => String(blobsOf(db, subject)),
    subjectData: (subject: Pick<Subject, 'user' | 'workspace'>) =>
      JSON.stringify(db.transaction(() => dataOf(db, subject))()),
  },
  grown: () => false,
})
