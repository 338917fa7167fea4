import { Flags } from '@oclif/core'
import { edited } from '../editor.ts'
import { fileOr, InputError, stdinText } from '../input.ts'

export const contentFlag = {
  content: Flags.string({ helpValue: 'TEXT', description: 'the text; @FILE reads a file, - standard input' }),
}

/** The text that a flag gives; without one the person edits what stands there. */
export async function textFor(content: string | undefined, before: () => Promise<string>): Promise<string> {
  const text =
    content === undefined
      ? await edited(await before(), 'PERSONA.md', 'repeat with --content TEXT or --content @FILE')
      : content === '-'
        ? await stdinText()
        : fileOr(content)
  const trimmed = text.trim()
  if (!trimmed) throw new InputError('The persona is empty.', 'to have none, use `muster persona reset AGENT`')
  return trimmed
}
