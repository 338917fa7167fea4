import { writeFileSync } from 'node:fs'
import { Flags } from '@oclif/core'
import { ask, InputError, interactive } from '../input.ts'
import type { Printer } from '../output/printer.ts'

export const saveFlag = {
  save: Flags.string({
    helpValue: 'FILE',
    description: 'also save the recovery codes to a new file that only you can read',
  }),
}

/** Shows recovery codes, this once, and keeps them in a file when that is wanted. */
export async function giveCodes(
  out: Printer,
  answer: { recovery_codes: string[] },
  file: string | undefined,
): Promise<void> {
  const lines = answer.recovery_codes.join('\n')
  out.note(
    'Recovery codes: each signs you in once when the app is lost. Keep them where the app is not; they are not ' +
      'shown again.',
  )
  await out.item(answer, lines)
  if (file !== undefined) return saved(out, file, lines)
  // Codes that went to a file or to a program already are where they were wanted.
  if (!interactive() || !out.terminal || out.screen.quiet) return
  const wanted = await ask('Save them to a file? Its name, or nothing for no')
  if (wanted.trim()) saved(out, wanted.trim(), lines)
}

function saved(out: Printer, file: string, lines: string): void {
  try {
    writeFileSync(file, `${lines}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'EEXIST' ? 'there is such a file' : (error as Error).message
    throw new InputError(
      `The codes were not saved to ${file}: ${why}. They stand above.`,
      'copy them, or muster account 2fa codes --save ANOTHER',
    )
  }
  out.note(`Saved to ${file}, readable by you alone.`, 'green')
}
