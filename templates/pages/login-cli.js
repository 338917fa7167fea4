import { ask, changeAccount, complain, once, signInHere, the, turnTo, whoIsHere } from './server.js'

const given = new URLSearchParams(location.search)
const [port, state, challenge] = ['port', 'state', 'challenge'].map((name) => given.get(name) ?? '')
const outcomes = ['signed-in', 'denied', 'failed']

/** What the program calls its computer: never more than a short line. */
const name = (given.get('name') ?? '').replace(/[^\p{L}\p{N} ._-]/gu, '').slice(0, 40)

/** Sends the browser back to the program that waits on this computer. */
const answer = (members) =>
  location.replace(`http://127.0.0.1:${port}/callback?${new URLSearchParams({ ...members, state })}`)

async function allow() {
  const { ok, status, body, told } = await ask('POST', '/api/v1/auth/pair/start', { challenge })
  if (status === 401) return location.replace(signInHere())
  if (!ok) return complain(told)
  answer({ code: body.code })
}

async function begin() {
  const user = await whoIsHere()
  if (!user) return location.replace(signInHere())
  the('who').textContent = user.email
  the('program').textContent = `muster on ${name || 'this computer'}`
  turnTo('asking')
  the('allow').addEventListener('click', () => once(allow))
  the('deny').addEventListener('click', () => answer({ error: 'denied' }))
  the('other').addEventListener('click', () => once(changeAccount))
}

const complete =
  /^[1-9]\d{3,4}$/.test(port) &&
  Number(port) >= 1024 &&
  Number(port) <= 65535 &&
  [state, challenge].every((it) => /^[A-Za-z0-9_-]{43}$/.test(it))

the('again').textContent = `muster login -s ${location.origin} --web`
if (outcomes.includes(given.get('outcome'))) turnTo(given.get('outcome'))
else if (complete) begin()
else turnTo('incomplete')
