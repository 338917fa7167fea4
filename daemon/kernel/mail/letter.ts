import { codeStyle, escaped, markdownHtml, paragraph } from './markdown.ts'

/** The content of a mail; `render` decides what it looks like. */
export interface Letter {
  /** One address. */
  to: string
  /** Kind of mail, for the log. */
  kind: string
  subject: string
  /** Name in the greeting, if known. */
  name: string | null
  blocks: Block[]
}

/** A paragraph, a link, lines to type or copy, a table of facts, or what somebody wrote. */
export type Block =
  | string
  | { link: string; label: string }
  | { code: string[] }
  | { facts: Record<string, string> }
  | { markdown: string }

export interface Mail {
  /** The same for every attempt, so that receivers can detect duplicates. */
  id: string
  to: string
  subject: string
  text: string
  html: string
}

/** Untrusted text on one line, without control characters (header injection) and bidirectional controls. */
export function oneLine(text: string, most = 200): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replace(/ +/g, ' ')
    .trim()
  const characters = [...line]
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line
}

/** A time for people: `2026-01-01 12:00:00 UTC`. */
export const shownTime = (at: string): string => at.replace('T', ' ').replace('Z', ' UTC')

/** Renders a letter as text and HTML. `from` names the server. */
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
  if ('markdown' in block) return block.markdown.trim()
  if ('code' in block) return block.code.map((line) => `    ${line}`).join('\n')
  const width = Math.max(...Object.keys(block.facts).map((key) => key.length)) + 2
  return Object.entries(block.facts)
    .map(([key, value]) => `${`${key}:`.padEnd(width)}${oneLine(value)}`)
    .join('\n')
}

/** Wraps text at 76 characters. */
function wrap(text: string): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= 76) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}

const styles = {
  link:
    'display:inline-block;padding:12px 20px;border-radius:6px;background:#1f6feb;color:#ffffff;' +
    'text-decoration:none;font-weight:600',
  address: 'margin:0 0 16px;font-size:13px;color:#6e7781;word-break:break-all',
  key: 'padding:4px 16px 4px 0;color:#6e7781',
  page:
    'max-width:560px;margin:0 auto;padding:32px;border-radius:8px;background:#ffffff;color:#1f2328;' +
    "font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:16px;line-height:1.5",
  footer: 'margin:32px 0 0;padding-top:16px;border-top:1px solid #d8dee4;font-size:13px;color:#6e7781',
}

function asHtml(block: Block): string {
  if (typeof block === 'string') return `<p style="${paragraph}">${escaped(block)}</p>`
  if ('link' in block) {
    const href = escaped(block.link)
    return `<p style="margin:24px 0"><a href="${href}" style="${styles.link}">${escaped(block.label)}</a></p>
<p style="${styles.address}">${href}</p>`
  }
  if ('markdown' in block) return markdownHtml(block.markdown)
  if ('code' in block) return `<pre style="${codeStyle}">${escaped(block.code.join('\n'))}</pre>`
  const rows = Object.entries(block.facts).map(([key, value]) => {
    const cell = `<td style="padding:4px 0">${escaped(oneLine(value))}</td>`
    return `<tr><td style="${styles.key}">${escaped(key)}</td>${cell}</tr>`
  })
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
<div style="${styles.page}">
<p style="margin:0 0 24px;font-size:18px;font-weight:700;letter-spacing:.02em">Muster</p>
${body}
<p style="${styles.footer}">${escaped(footer)}</p>
</div>
</body>
</html>
`
