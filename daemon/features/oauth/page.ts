import { hash as digest } from 'node:crypto'
import type { Web } from '#kernel/feature'

const script = 'window.close()'
const style = 'body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}'
const sourceOf = (text: string): string => `'sha256-${digest('sha256', text, 'base64')}'`

/** Nothing but the two lines above: what a server or an address says is text and nothing else. */
const policy = [
  "default-src 'none'",
  `script-src ${sourceOf(script)}`,
  `style-src ${sourceOf(style)}`,
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

interface Said {
  status: number
  title: string
  text: string
}

export const headersOfPage = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** A page that says how a sign-in ended; when it worked, the window closes. */
export const pageOf = ({ status, title, text }: Said): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <title>${escaped(title)} · Muster</title>
    <style>${style}</style>
  </head>
  <body>
    <h1>${escaped(title)}</h1>
    <p>${escaped(text)}</p>
    ${status === 200 ? `<script>${script}</script>` : ''}
  </body>
</html>
`

/** Answers a browser with such a page. */
export function showPage({ reply }: Web, said: Said): string {
  reply.code(said.status).headers(headersOfPage)
  return pageOf(said)
}
