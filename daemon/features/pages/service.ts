import type { Web } from '#kernel/feature'
import { type Problem, problem } from '#kernel/problem'
import { pageFiles } from './files.ts'

// Scripts and styles of this server, calls to this server, and nothing else. Forms are sent by scripts, so a password
// can never become part of an address.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  // Addresses of these pages hold tokens and codes.
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** A page, as it lies on the disk: nothing that a request says is put into it. */
export function page({ reply }: Web, name: string): Buffer {
  reply.headers(pageHeaders)
  return pageFiles().pages.get(name)!
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** What a browser that was on its way to somewhere shows a person of a refusal. Without a script: it only says so. */
export function refusalPage({ reply }: Web, { status, message, headers }: Problem): string {
  const style = [...pageFiles().assets.keys()].find((name) => name.endsWith('.css'))
  reply.code(status).headers({ ...headers, ...pageHeaders })
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <title>Sign in · Muster</title>
    <link rel="stylesheet" href="/assets/${style}" />
  </head>
  <body>
    <p class="name"><a href="/">Muster</a></p>
    <main>
      <h1>That did not work</h1>
      <div class="told" role="alert">${escaped(message)}.</div>
      <a class="button" href="/login">Back to the sign-in</a>
    </main>
  </body>
</html>
`
}

/** A style or script. Its name holds its digest, so it may be kept for good. */
export function asset({ reply }: Web, name: string): Buffer {
  const found = pageFiles().assets.get(name)
  if (!found) throw problem('not_found', { field: 'name' })
  reply.headers({
    'content-type': found.type,
    'cache-control': 'public, max-age=31536000, immutable',
    'cross-origin-resource-policy': 'same-origin',
  })
  return found.content
}
