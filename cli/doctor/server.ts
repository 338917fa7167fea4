import { type Client, type Connection, ProblemError, UnreachableError } from '#client'
import type { Session } from '../contexts/session.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Seconds by which clocks may differ: the server tells its own in whole seconds. */
const tolerated = 5
const unbearable = 60

/** Whether the server answers, and what that says of its version and its clock. */
export async function reach(
  connection: Connection,
  { local, version }: { local: boolean; version: string },
): Promise<{ answers: boolean; findings: Finding[] }> {
  const address = connection.target.key
  const sent = Date.now()
  try {
    const { body, headers } = await connection.request('GET', '/healthz')
    const now = Date.now()
    const theirs = versionIn(String(body))
    if (theirs === null) return stranger(address)
    const found = [ok('server', `${address} answers in ${now - sent} ms`), versions(version, theirs, local)]
    return { answers: true, findings: [...found, ...clock(headers['date'], (sent + now) / 2)] }
  } catch (error) {
    if (error instanceof UnreachableError)
      return { answers: false, findings: [fail('server', error.message, remedy(error, local))] }
    return stranger(address)
  }
}

const stranger = (address: string): { answers: false; findings: Finding[] } => ({
  answers: false,
  findings: [
    fail(
      'server',
      `What answers at ${address} is not a Muster server`,
      'muster contexts show, to see which server is used',
    ),
  ],
})

/** What a server says that its version is; null when it is another kind of server. */
function versionIn(body: string): string | null {
  const { version, uptime } = (JSON.parse(body) as { version?: unknown; uptime?: unknown } | null) ?? {}
  return typeof version === 'string' && typeof uptime === 'number' ? version : null
}

function remedy({ reason }: UnreachableError, local: boolean): string {
  if (reason === 'EACCES' || reason === 'EPERM') return 'run as the user whose daemon it is, or use -s URL'
  if (local) return 'muster up'
  return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(reason)
    ? 'name the CA of that certificate in NODE_EXTRA_CA_CERTS'
    : 'muster contexts show, to see which server is used'
}

function versions(ours: string, theirs: string, local: boolean): Finding {
  if (ours === theirs) return ok('version', `Server and command are both ${ours}`)
  const fix = local ? 'muster down && muster up' : 'update the older of the two'
  return warn('version', `The server is ${theirs}, the command ${ours}`, fix)
}

/** Tokens, pairing codes and `--since` need clocks that agree. */
export function clock(date: string | string[] | undefined, now: number): Finding[] {
  const theirs = Date.parse(String(date))
  if (Number.isNaN(theirs)) return []
  // Whole seconds, cut off: on average half a second is missing.
  const ahead = Math.round((theirs + 500 - now) / 1000)
  const seconds = Math.abs(ahead)
  if (seconds <= tolerated) return [ok('clock', 'The clocks of server and this machine agree')]
  const detail = `The clock of the server is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} this machine's`
  const fix = 'set the wrong one by the network: timedatectl set-ntp true'
  return [seconds > unbearable ? fail('clock', detail, fix) : warn('clock', detail, fix)]
}

/** The identity on the server and the server's own findings. `known` is false when it reports none. */
export async function ask(
  api: Client,
  { token, workspace }: Session,
): Promise<{ known: boolean; findings: Finding[] }> {
  if (!token)
    return {
      known: false,
      findings: [warn('identity', 'Not signed in', 'muster login; or, on a new server, muster init')],
    }
  try {
    const { email } = await api.users.me()
    if (!workspace)
      return {
        known: false,
        findings: [
          warn('identity', `${email}, in no workspace`, 'muster workspaces list, then muster workspaces use SLUG'),
        ],
      }
    const me = ok('identity', `${email}, in ${workspace}`)
    try {
      const checks = await api.system.doctor()
      return { known: true, findings: [me, ...checks.map(readable)] }
    } catch (error) {
      return { known: false, findings: [me, refused(error)] }
    }
  } catch (error) {
    return { known: false, findings: [refused(error)] }
  }
}

/** A server of another version may judge in words that are not known here. */
function readable(check: Omit<Finding, 'where'>): Finding {
  const isKnown = ['ok', 'warn', 'fail'].includes(check.status)
  return { ...check, where: 'server', status: isKnown ? check.status : 'warn' }
}

function refused(error: unknown): Finding {
  if (!(error instanceof ProblemError)) return fail('identity', (error as Error).message, 'muster doctor')
  const { status, code, detail, title } = error.problem
  if (status === 401) return fail('identity', 'The token is not accepted', 'muster login')
  if (code === 'not_a_member')
    return fail('identity', detail ?? title, 'muster workspaces list, then muster workspaces use SLUG')
  if (status === 403)
    return { ...ok('checks', 'What the server says of itself is for the admins of its first workspace') }
  if (status === 404) return warn('checks', 'The server is too old to examine itself', 'update it')
  return warn('checks', `The server could not examine itself: ${detail ?? title}`, 'see its log')
}
