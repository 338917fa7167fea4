/** A mail as its writer thinks of it; what it looks like is decided here, once for all. */
export interface Letter {
  /** One address. */
  to: string
  /** What it is about, for the log. */
  kind: string
  subject: string
  /** Whom it greets; nobody by name when null. */
  name: string | null
  blocks: Block[]
}

/** A paragraph; a link to follow; lines to type or copy; what is known of something. */
export type Block = string | { link: string; label: string } | { code: string[] } | { facts: Record<string, string> }

export interface Mail {
  /** The same at every attempt, so that whoever takes it twice can tell. */
  id: string
  to: string
  subject: string
  text: string
  html: string
}

/**
 * Text from elsewhere on one line: no control characters, which could begin another header, and none that turn the
 * writing around.
 */
export function oneLine(text: string, most = 200): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replace(/ +/g, ' ')
    .trim()
  const characters = [...line]
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line
}

/** A moment as people read it: `2026-01-01 12:00:00 UTC`. */
export const shownTime = (at: string): string => at.replace('T', ' ').replace('Z', ' UTC')

/** The mail in both forms. `from` names the server that it comes from. */
export function render({ to, subject, name, blocks }: Letter, from: string): Omit<Mail, 'id'> {
  const greeting = name && oneLine(name, 100) ? `Hello ${oneLine(name, 100)},` : 'Hello,'
  const footer = `Sent by the Muster server ${from}.`
  const all = [greeting, ...blocks]
  const title = oneLine(subject)
  return {
    to,
    subject: title,
    text: `${[...all.map(asText), `-- \n${footer}`].join('\n\n')}\n`,
    html: page(title, all.map(asHtml).join('\n'), footer),
  }
}

function asText(block: Block): string {
  if (typeof block === 'string') return wrap(block)
  if ('link' in block) return `${block.label}:\n${block.link}`
  if ('code' in block) return block.code.map((line) => `    ${line}`).join('\n')
  const width = Math.max(...Object.keys(block.facts).map((key) => key.length)) + 2
  return Object.entries(block.facts)
    .map(([key, value]) => `${`${key}:`.padEnd(width)}${oneLine(value)}`)
    .join('\n')
}

/** Lines of at most 76 characters, as readers of plain text expect. */
function wrap(text: string): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= 76) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}

const mono = 'font-family:ui-monospace,Menlo,Consolas,monospace;font-size:14px'

function asHtml(block: Block): string {
  if (typeof block === 'string') return `<p style="margin:0 0 16px">${escaped(block)}</p>`
  if ('link' in block) {
    const href = escaped(block.link)
    return `<p style="margin:24px 0"><a href="${href}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:#1f6feb;color:#ffffff;text-decoration:none;font-weight:600">${escaped(block.label)}</a></p>
<p style="margin:0 0 16px;font-size:13px;color:#6e7781;word-break:break-all">${href}</p>`
  }
  if ('code' in block)
    return `<pre style="margin:0 0 16px;padding:12px;border-radius:6px;background:#f3f4f6;color:#1f2328;white-space:pre-wrap;word-break:break-all;${mono}">${escaped(block.code.join('\n'))}</pre>`
  const rows = Object.entries(block.facts).map(
    ([key, value]) =>
      `<tr><td style="padding:4px 16px 4px 0;color:#6e7781">${escaped(key)}</td><td style="padding:4px 0">${escaped(oneLine(value))}</td></tr>`,
  )
  return `<table role="presentation" style="margin:0 0 16px;border-collapse:collapse">${rows.join('')}</table>`
}

const page = (title: string, body: string, footer: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(title)}</title>
</head>
<body style="margin:0;padding:24px;background:#f6f8fa">
<div style="max-width:560px;margin:0 auto;padding:32px;border-radius:8px;background:#ffffff;color:#1f2328;font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:16px;line-height:1.5">
<p style="margin:0 0 24px;font-size:18px;font-weight:700;letter-spacing:.02em">Muster</p>
${body}
<p style="margin:32px 0 0;padding-top:16px;border-top:1px solid #d8dee4;font-size:13px;color:#6e7781">${escaped(footer)}</p>
</div>
</body>
</html>
`

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char]!)
