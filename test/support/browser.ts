import type { Answer, Person, TestDaemon } from './index.ts'
import { codeAt } from './totp.ts'

interface Cookie {
  value: string
  path: string
  attributes: string
}

/** A browser at a test daemon: keeps cookies as browsers do, and signs in as its page would. */
export interface Browser {
  jar: Map<string, Cookie>
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** The answer of the sign-in itself. */
  signIn(email: string, password: string, more?: object): Promise<Answer>
  /** Another browser with the same cookies at this moment. */
  copy(): Browser
}

export function browser(
  daemon: Pick<TestDaemon, 'call'>,
  fixed: Record<string, string> = {},
  jar = new Map<string, Cookie>(),
): Browser {
  const fits = (path: string, { path: at }: Cookie) =>
    (path.startsWith('/api/') ? path : `/api/v1${path}`).startsWith(at)

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const cookie = [...jar].flatMap(([name, it]) => (fits(path, it) ? [`${name}=${it.value}`] : [])).join('; ')
    const answer = await daemon.call(null, method, path, body, { ...fixed, ...(cookie && { cookie }), ...headers })
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) keep(String(line))
    return answer
  }

  function keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ')
    const [name = '', value = ''] = pair.split('=')
    const path = attributes.find((it) => it.startsWith('Path='))?.slice(5) ?? '/'
    if (attributes.includes('Max-Age=0')) jar.delete(name)
    else jar.set(name, { value, path, attributes: attributes.join('; ') })
  }

  return {
    jar,
    call,
    async signIn(email, password, more = {}) {
      const { body } = await call('GET', '/api/auth/csrf')
      return call('POST', '/api/auth/callback/credentials', { email, password, csrfToken: body.csrfToken, ...more })
    },
    copy: () => browser(daemon, fixed, new Map(jar)),
  }
}

/** A browser of this person whose second factor was shown longer ago than it holds. */
export async function staleBrowser(it: TestDaemon, { userId, email }: Person): Promise<Browser> {
  it.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, userId)
  const web = browser(it, { 'x-workspace-id': it.workspace })
  await web.signIn(email, knownPassword)
  const { secret } = (await web.call('POST', '/users/me/totp', { password: knownPassword })).body
  await web.call('POST', '/users/me/totp/confirm', { code: codeAt(secret, it.clock()) })
  it.app.db.prepare("UPDATE user_sessions SET factor_at = '2025-12-31T00:00:00Z' WHERE user_id = ?").run(userId)
  return web
}

/** A bcrypt hash of cost 4 of `passwordOf`, so that tests are quick; the cost is read from the hash. */
export const quickHash = '$2b$04$n3ZBSWm9xGPDXssKw/SG1O8LsCo96PhSX0ziKs0Fr2RiSlprQgbxW'
export const knownPassword = 'plover staple 42'
