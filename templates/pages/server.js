// What the pages share: asking the server, and telling people what it said.

/** The element with that id. */
export const the = (id) => document.getElementById(id)

/**
 * Asks the server. `status` is 0 when no answer came; `told` is the server's sentence about a failure. When the server wants to see
 * the second factor first, it is asked for here, and then the server again.
 */
export async function ask(method, path, body) {
  const answer = await send(method, path, body)
  if (answer.body?.code !== 'step_up_required') return answer
  const { askForFactor } = await import('./factor.js')
  const shown = await askForFactor((code) => send('POST', '/api/v1/auth/step-up', { code }))
  return shown ? send(method, path, body) : answer
}

async function send(method, path, body) {
  try {
    const reply = await fetch(path, {
      method,
      credentials: 'same-origin',
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const read = await reply.json().catch(() => ({}))
    return { ok: reply.ok, status: reply.status, body: read, told: reply.ok ? '' : sentence(reply, read) }
  } catch {
    return { ok: false, status: 0, body: {}, told: 'The server cannot be reached. Try again in a moment.' }
  }
}

function sentence({ status, headers }, { detail, error }) {
  if (status === 429) return `Too many attempts. Try again in ${headers.get('retry-after') ?? '60'} seconds.`
  return `${detail ?? error ?? `The server answered ${status}`}.`.replace(/([.!?])\.$/, '$1')
}

/** Says a failure aloud, or takes it back when the text is empty. */
export function complain(text) {
  the('good').textContent = ''
  the('bad').textContent = text
}

/** Says that something went well. */
export function announce(text) {
  the('bad').textContent = ''
  the('good').textContent = text
}

/** Shows one part of the page and hides the others of its kind. */
export function turnTo(id) {
  for (const part of document.querySelectorAll('main > section')) part.hidden = part.id !== id
}

/** Does the work with the buttons at rest, so that nothing is sent twice. */
export async function once(work) {
  const buttons = [...document.querySelectorAll('button')]
  for (const button of buttons) button.disabled = true
  try {
    return await work()
  } finally {
    for (const button of buttons) button.disabled = false
  }
}

/** Who is signed in here, or undefined. */
export const whoIsHere = async () => (await ask('GET', '/api/auth/session')).body.user

/** Ends the session of this browser. */
export const leave = () => ask('POST', '/api/auth/signout')

/** Signs out, and in again as somebody else, and comes back. */
export async function changeAccount() {
  const { ok, told } = await leave()
  if (ok) location.replace(signInHere())
  else complain(told)
}

/** The page to sign in at, which comes back to this address. */
export const signInHere = (path = location.pathname + location.search) =>
  `/login?callbackUrl=${encodeURIComponent(path)}`

/** The address as a path of this server; `/` when it leads anywhere else. */
export function ownPath(address) {
  if (!address || !/^\/(?![/\\])/.test(address) || address.includes('\\') || !URL.canParse(address, location.origin))
    return '/'
  const url = new URL(address, location.origin)
  // Without its dots `/.//elsewhere` would be `//elsewhere`, an address of another server.
  return url.origin === location.origin && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : '/'
}

/** Takes a secret out of the address bar and the history, and answers it. */
export function takeFromAddress(name) {
  const url = new URL(location.href)
  const secret = url.searchParams.get(name)
  if (secret === null) return ''
  url.searchParams.delete(name)
  history.replaceState(null, '', url.pathname + url.search)
  return secret
}
