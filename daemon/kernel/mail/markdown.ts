import { Marked, type Tokens } from 'marked'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char]!)

export const paragraph = 'margin:0 0 16px'
const mono = 'font-family:ui-monospace,Menlo,Consolas,monospace;font-size:14px'
export const codeStyle =
  'margin:0 0 16px;padding:12px;border-radius:6px;background:#f3f4f6;color:#1f2328;white-space:pre-wrap;' +
  `word-break:break-all;${mono}`

/** What may be followed from a mail; its address stands beside it, so that no words hide where they lead. */
function linkTo(label: string, href: string): string {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return label
  const address = `<a href="${escaped(href)}" rel="noreferrer">${escaped(href)}</a>`
  return label === escaped(href) ? address : `${label} (${address})`
}

// Text is other people's: no HTML of theirs, and nothing that a reader would load.
const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escaped(text),
    image: ({ text, href }: Tokens.Image) => linkTo(escaped(text), href),
    link({ tokens, href }: Tokens.Link) {
      return linkTo(this.parser.parseInline(tokens), href)
    },
    paragraph({ tokens }: Tokens.Paragraph) {
      return `<p style="${paragraph}">${this.parser.parseInline(tokens)}</p>\n`
    },
    // A heading of the text is none of the letter.
    heading({ tokens }: Tokens.Heading) {
      return `<p style="${paragraph};font-weight:700">${this.parser.parseInline(tokens)}</p>\n`
    },
    code: ({ text }: Tokens.Code) => `<pre style="${codeStyle}">${escaped(text)}</pre>\n`,
    codespan: ({ text }: Tokens.Codespan) => `<code style="${mono}">${escaped(text)}</code>`,
    checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '[x] ' : '[ ] '),
  },
})

/** Somebody's Markdown as the HTML of a mail. */
export const markdownHtml = (source: string): string => marked.parse(source, { async: false }).trim()
