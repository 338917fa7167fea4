import type { App } from '#kernel/app'

export interface Release {
  version: string
  url: string | null
}

interface Known {
  release: Release | null
  /** Steady time after which it is asked again. */
  until: number
}

/** How long an answer counts, and how soon it is tried again after none. */
const freshMs = 6 * 3_600_000
const againMs = 15 * 60_000
const timeoutMs = 4_000
const maxBytes = 256 * 1024

const known = new WeakMap<App, Known>()

/**
 * The newest release that is known; null while none is. Asks in the background, and only where the operator named whom:
 * nobody waits for it, and nothing fails without it.
 */
export function latestRelease(app: App): Release | null {
  const { releasesUrl } = app.config
  if (!releasesUrl) return null
  const last = known.get(app)
  if (!last || app.steady() >= last.until) {
    known.set(app, { release: last?.release ?? null, until: app.steady() + againMs })
    void ask(app, releasesUrl)
  }
  return last?.release ?? null
}

async function ask(app: App, url: string): Promise<void> {
  try {
    const headers = { accept: 'application/json', 'user-agent': 'muster' }
    const request = { operator: true, redirects: 3, timeoutMs, maxBytes, headers, signal: app.stopping.signal }
    const { status, text } = await app.outbound.send(url, request)
    const release = status === 200 ? releaseIn(text) : null
    if (release) known.set(app, { release, until: app.steady() + freshMs })
    else app.log.info({ status }, 'The address of releases told of none')
  } catch (error) {
    app.log.info({ reason: (error as { reason?: string }).reason ?? 'unreadable' }, 'Nobody told of releases')
  }
}

const versionForm = /^v?(\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z.-]{1,40})?)$/

/** A release as GitHub tells it (`tag_name`, `html_url`), or with `version` and `url`. */
function releaseIn(text: string): Release | null {
  const told = JSON.parse(text) as Record<string, unknown> | null
  const version = versionForm.exec(String(told?.['tag_name'] ?? told?.['version'] ?? ''))?.[1]
  if (!version) return null
  const url = String(told?.['html_url'] ?? told?.['url'] ?? '')
  return { version, url: /^https?:\/\/[^\s\p{Cc}]{1,500}$/u.test(url) ? url : null }
}

/** Whether one version comes after another: by its numbers, and a finished one after those that lead to it. */
export function isNewer(version: string, than: string): boolean {
  const [one, other] = [partsOf(version), partsOf(than)]
  const at = one.numbers.findIndex((number, place) => number !== other.numbers[place])
  if (at >= 0) return one.numbers[at]! > (other.numbers[at] ?? 0)
  return !one.isEarly && other.isEarly
}

function partsOf(version: string): { numbers: number[]; isEarly: boolean } {
  const [numbers = '', ...early] = version.split('-')
  return { numbers: numbers.split('.').map(Number), isEarly: early.length > 0 }
}
