import type { BackupLevel } from '#contract/backup'
import type { Locking } from './age.ts'

/** What the scratch folder of a backup holds, under the names that it has in a data folder. */
export const copies = { store: 'muster.db', seals: 'journal.seal', files: 'attachments' } as const

/** What a packing thread is to make a bundle of. Nothing of it is written anywhere but in the bundle. */
export interface PackJob {
  /** Holds the `copies` that it is made of. */
  scratch: string
  /** Where the bundle goes. */
  path: string
  created_at: string
  level: BackupLevel
  locking: Locking
  /** The encryption key, where it is to be inside. */
  key: string | null
  dataDir: string
  provider: 'docker' | 'process'
  prefix: string
  image: string
}

export interface Made {
  size_bytes: number
  payload_sha256: string
  members: number
  key_included: boolean
}

/** What a packing thread says. */
export type PackNews = { wrote: number } | { made: Made } | { fault: string; code: string }
