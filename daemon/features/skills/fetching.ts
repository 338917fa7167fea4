import { skillFileBytes } from '#contract/skills'
import type { App } from '#kernel/app'
import { OutboundError } from '#kernel/outbound/outbound'
import { problem } from '#kernel/problem'

const wrong = (detail: string) => problem('invalid_field', { field: 'url', detail })

/** The address of the text itself, for addresses of pages that show it and for `owner/repo/path`. */
export function rawAddress(given: string): string {
  const text = given.trim()
  const short = /^([A-Za-z0-9][\w.-]*)\/([\w.-]+)\/([\w./@+-]+)$/.exec(text)
  if (short && !text.includes('..')) {
    const path = /\.md$/i.test(short[3]!) ? short[3] : `${short[3]!.replace(/\/+$/, '')}/SKILL.md`
    return `https://raw.githubusercontent.com/${short[1]}/${short[2]}/HEAD/${path}`
  }
  const page = /^https:\/\/github\.com\/([^/?#]+)\/([^/?#]+)\/(?:blob|raw)\/([^?#]+)/.exec(text)
  return page ? `https://raw.githubusercontent.com/${page[1]}/${page[2]}/${page[3]}` : text
}

/** Reads the SKILL.md at an address: from public servers alone, wherever they lead on to. */
export async function fetchSkill(app: App, given: string): Promise<string> {
  const url = rawAddress(given)
  if (!URL.canParse(url) || !url.startsWith('https://')) throw wrong('url must be an https address')
  const reply = await app.outbound
    .send(url, { redirects: 10, timeoutMs: 30_000, maxBytes: skillFileBytes, headers: { accept: 'text/*, */*' } })
    .catch((error: unknown) => {
      throw error instanceof OutboundError ? problemOf(error) : error
    })
  if (reply.status < 200 || reply.status > 299)
    throw problem('skill_unreachable', { detail: `${new URL(reply.url).host} answered ${reply.status}` })
  return reply.text
}

function problemOf({ reason, message }: OutboundError) {
  if (reason === 'refused') return wrong(message)
  if (reason === 'too_large')
    return problem('skill_invalid', { field: 'url', detail: `SKILL.md may have ${skillFileBytes / 1024} KiB` })
  return problem('skill_unreachable', { detail: message })
}
