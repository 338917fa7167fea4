import type { Client } from '#client'
import type { Session } from '../contexts/session.ts'
import { InputError } from '../input.ts'
import { telling } from '../output/short-id.ts'
import { find, NotFound } from './find.ts'
import { type Given, kinds, type Numbered } from './kinds.ts'
import { type IdName, idFlags, idNames, isPartOfId } from './names.ts'
import { idsShown, rowShown } from './shown.ts'

interface Where {
  api: () => Client
  session: () => Session
}

export interface Words {
  args: Record<string, unknown>
  flags: Record<string, unknown>
}

/** Puts the whole id in the place of a part of it, of the number of a row shown last, or of a name. */
export async function completeIds({ args, flags }: Words, where: Where): Promise<void> {
  const given = { ...flags, ...args } as Given
  const whole = async (name: IdName, text: string): Promise<string> =>
    isPartOfId(name, text) ? idOf(kinds[name]({ api: where.api(), session: where.session(), given }), text) : text
  const complete = async (words: Record<string, unknown>, name: IdName): Promise<void> => {
    const value = words[name]
    if (typeof value === 'string') words[name] = await whole(name, value)
    else if (Array.isArray(value)) words[name] = await Promise.all(value.map((text) => whole(name, text)))
  }
  for (const name of idNames) await complete(args, name)
  for (const name of idFlags) {
    const value = flags[name]
    // Filters take several, with commas between them.
    if (typeof value === 'string')
      flags[name] = (await Promise.all(value.split(',').map((text) => whole(name, text.trim())))).join(',')
  }
}

async function idOf(kind: Numbered, text: string): Promise<string> {
  const number = /^[1-9]\d{0,2}$/.test(text) ? rowShown(kind.numbersOf, Number(text)) : undefined
  if (number !== undefined && !kind.names) return number
  const seen =
    text.length < 4 ? [] : idsShown(kind.numbersOf).filter((id) => id.endsWith(text) || telling(id).endsWith(text))
  if (seen.length === 1) return seen[0]!
  try {
    return await find(kind, text)
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    if (number !== undefined) return number
    if (/^\d{1,3}$/.test(text))
      throw new InputError(`No list with a row ${text} was shown in this terminal.`, kind.next)
    if (kind.lenient) return text
    throw error
  }
}
