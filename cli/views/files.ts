import type { SavedFile } from '../agent-files/transfer.ts'
import { size } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

/** A row of a folder's list. */
interface Listed {
  path: string
  is_dir: boolean
  size: number
}

export const listedView = {
  name: ({ path }) => path,
  empty: 'The folder is empty.',
  columns: {
    NAME: ({ path, is_dir }) => (is_dir ? { text: `${path}/`, value: path, tone: 'blue' } : path),
    SIZE: (it) => (it.is_dir ? null : size(it.size)),
  },
} satisfies View<Listed>

/** What a copy of a folder came to, in files. */
export interface Transfer {
  saved: number
  unchanged: number
  /** Links, and files that were gone. */
  skipped: number
}

export const savedView: View<SavedFile> = {
  name: ({ path }) => path,
  columns: { PATH: ({ path }) => path, STATUS: ({ status }) => status },
}

export const transferView: View<Transfer> = {
  name: ({ saved }) => String(saved),
  columns: {
    SAVED: ({ saved }) => saved,
    UNCHANGED: ({ unchanged }) => unchanged,
    SKIPPED: ({ skipped }) => skipped,
  },
}
