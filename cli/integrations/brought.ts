import { InputError } from '../input.ts'

/** What a browser brought back from a sign-in. */
export interface Brought {
  code: string
  state?: string
  iss?: string
}

/** Reads a code, or the address that a browser ended at, which tells more. */
export function readBrought(text: string): Brought {
  const said = text.trim()
  if (!said) throw new InputError('There is no code.')
  if (!/^https?:\/\//i.test(said)) return { code: said }
  if (!URL.canParse(said)) throw new InputError('That is no address.')
  return fromQuery(new URL(said).searchParams)
}

/** Reads what came with an address. */
export function fromQuery(query: URLSearchParams): Brought {
  const [code, state, iss, error] = ['code', 'state', 'iss', 'error'].map((name) => query.get(name) ?? undefined)
  if (error) throw new InputError(`The authorization server denied access: ${error.replace(/[^\w.-]/g, '')}.`)
  if (!code) throw new InputError('The address holds no code.')
  return { code, ...(state && { state }), ...(iss && { iss }) }
}
