import type { WriteGap } from '../types.ts'

const sentences: Readonly<Record<WriteGap['what'], string>> = {
  folders: 'there are more than 8192 folders, and not watched are those from',
  watches: 'this machine allows no more watched folders (fs.inotify.max_user_watches); not watched are those from',
  deep: 'what lies more than 40 folders deep is not watched:',
  entries: 'there are too many files to look through at the start; not all were, in',
  overflow: 'more was written at once than the kernel keeps',
  left: 'so many files were written in place at once that not all were looked at',
}

/** Why something is not noticed, as a part of a sentence that a folder may follow. */
export const gapSays = ({ what }: WriteGap): string => sentences[what]
