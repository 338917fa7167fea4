import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'

const program = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** Why no browser can be used here, for `leaveOut` and `skipIf`; false when there is one. */
export const chromiumMissing: string | false =
  !existsSync(program) &&
  `${program} is not there. Install it (Debian: apt-get install chromium) or name another in CHROMIUM`

// It looks for nothing on the network but what a test tells it to.
const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export interface Look {
  width?: number
  height?: number
  dark?: boolean
  /** Address of the server, so that paths suffice. */
  at?: string
}

/**
 * A real browser for the tests of this file. A page that breaks its own content security policy, or throws, fails its
 * test, if `violations` matter.
 */
export function realBrowser({ violations = true }: { violations?: boolean } = {}): (look?: Look) => Promise<Page> {
  let browser: Browser
  const contexts: BrowserContext[] = []
  const faults: string[] = []
  beforeAll(async () => {
    if (!chromiumMissing)
      browser = await chromium.launch({
        executablePath: program,
        chromiumSandbox: process.getuid?.() !== 0,
        args: quiet,
      })
  })
  afterAll(() => browser?.close())
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
    expect(faults.splice(0), 'faults of the pages').toEqual([])
  })
  return async ({ width = 1000, height = 800, dark = false, at } = {}) => {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: dark ? 'dark' : 'light',
      ...(at && { baseURL: at }),
    })
    contexts.push(context)
    context.setDefaultTimeout(30_000)
    await context.exposeBinding('muster_violation', (_, text: string) => void faults.push(text))
    await context.addInitScript(
      "addEventListener('securitypolicyviolation', (it) => muster_violation(it.violatedDirective + ': ' + " +
        'it.blockedURI), { capture: true })',
    )
    const page = await context.newPage()
    if (!violations) return page
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) faults.push(message.text())
    })
    return page
  }
}
