import { InputError } from '../input.ts'

/** Reads a number that is not negative, decimals allowed. */
export async function decimal(text: string, _: unknown, { name }: { name: string }): Promise<number> {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number) || number < 0)
    throw new InputError(`--${name} must be a number of at least 0, not "${text}".`)
  return number
}

/** Reads a share from 0 to 1, or "none". */
export async function share(text: string, _: unknown, { name }: { name: string }): Promise<number | null> {
  if (text === 'none') return null
  const number = Number(text)
  if (text.trim() === '' || !(number >= 0 && number <= 1))
    throw new InputError(`--${name} must be a number from 0 to 1, or none, not "${text}".`)
  return number
}
