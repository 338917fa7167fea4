import { Flags } from '@oclif/core'
import { fileOr, stdinText } from '../input.ts'

/** A text of a flag: itself, that of a file (`@FILE`), or standard input (`-`). */
export const textOf = async (text: string | undefined): Promise<string | undefined> =>
  text === '-' ? stdinText() : text && fileOr(text)

export const descriptionFlag = (of: string) =>
  Flags.string({ helpValue: 'TEXT', description: `description of the ${of}; @FILE reads a file, - standard input` })

/** Flags of what a person decides of a task. */
export const taskFlags = {
  description: descriptionFlag('task'),
  agent: Flags.string({ description: 'agent of the crew that does it; empty for the LEAD' }),
  after: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'TASK',
    description: 'a task that must be done before, by number, title or id; repeatable, empty for none',
  }),
  attempts: Flags.integer({ min: 1, max: 10, description: 'how often it may be tried' }),
  approval: Flags.boolean({ allowNo: true, description: 'a person has to approve its result' }),
}
