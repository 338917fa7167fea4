import { ask, changeAccount, complain, once, signInHere, takeFromAddress, the, turnTo, whoIsHere } from './server.js'

// Signing in leads away and back; until then this tab alone remembers the token.
const kept = 'muster.invitation'
const taken = takeFromAddress('token')
if (taken) sessionStorage.setItem(kept, taken)
const token = sessionStorage.getItem(kept) ?? ''

async function accept() {
  const { ok, status, told } = await ask('POST', '/api/v1/invitations/redeem', { token })
  if (status === 401) return location.replace(signInHere())
  if (!ok) return complain(told)
  sessionStorage.removeItem(kept)
  turnTo('done')
}

async function begin() {
  const user = await whoIsHere()
  if (!user) return turnTo('stranger')
  the('who').textContent = user.email
  turnTo('asking')
}

the('sign-in').href = signInHere()
the('signup').textContent = `muster signup -s ${location.origin}`
the('next').textContent = `muster login -s ${location.origin}`
the('accept').addEventListener('click', () => once(accept))
the('other').addEventListener('click', () => once(changeAccount))
if (token) begin()
else turnTo('incomplete')
