import { hostname } from 'node:os'
import { type Client, ProblemError } from '#client'
import { type Jar, jar } from './jar.ts'

interface Credentials {
  email: string
  password: string
  /** Code of the second factor, if given as a flag. */
  code?: string | undefined
  /** Asks for the code of the second factor; `again` when the last one was wrong. Throws where nobody can be asked. */
  askForCode(again: boolean): Promise<string>
}

const attempts = 3

/**
 * Signs in as a browser would, makes a token, and signs the session out again. `lingers`: that last step failed, so the
 * session stays until it runs out.
 */
export async function tokenByPassword(api: Client, given: Credentials): Promise<{ token: string; lingers: boolean }> {
  const cookies = jar()
  await signIn(api, cookies, given)
  const made = await api.tokens
    .create({ body: { name: `CLI login (${thisMachine()})` } }, cookies.options())
    .catch((error: unknown) => ({ error }))
  const lingers = await api.sessions.signout({}, cookies.options()).then(
    () => false,
    () => true,
  )
  if ('error' in made) throw made.error
  return { token: made.token, lingers }
}

async function signIn(
  api: Client,
  cookies: Jar,
  { email, password, code: first, askForCode }: Credentials,
): Promise<void> {
  const { csrfToken } = await api.sessions.csrf({}, cookies.options())
  let code = first
  for (let left = attempts; ; left--) {
    const body = { email, password, csrfToken, ...(code !== undefined && { code }) }
    const { ok, error } = await api.sessions.create({ query: {}, body }, cookies.options())
    if (ok) return
    if (error !== 'SecondFactorRequired' && error !== 'SecondFactorInvalid')
      throw refused('credentials_refused', 'The email address or the password is wrong')
    const again = error === 'SecondFactorInvalid'
    if (again && left <= 1) throw refused('second_factor_refused', 'The code of the second factor is wrong')
    code = await askForCode(again)
  }
}

const refused = (code: string, title: string) =>
  new ProblemError({
    type: 'about:blank',
    title,
    status: 401,
    detail: title,
    instance: '/api/auth/callback/credentials',
    code,
    error: title,
  })

/** The name of this machine, as it may stand in the name of a token. */
export const thisMachine = (): string =>
  hostname()
    .replace(/[^A-Za-z0-9._-]/g, '')
    .slice(0, 60) || 'unnamed'
