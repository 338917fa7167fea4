import { InputError } from '../input.ts'

/** Reads a number that is not negative, decimals allowed. */
export async function decimal(text: string): Promise<number> {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number) || number < 0)
    throw new InputError(`"${text}" is not a number from 0 on.`)
  return number
}
