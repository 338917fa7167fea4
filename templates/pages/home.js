import { announce, ask, complain, leave, once, the, whoIsHere } from './server.js'

async function begin() {
  const user = await whoIsHere()
  if (!user) return
  the('who').textContent = user.email
  the('here').hidden = false
  the('stranger').hidden = true
}

async function signOut() {
  const { ok, told } = await leave()
  if (!ok) return complain(told)
  announce('You are signed out.')
  the('here').hidden = true
  the('stranger').hidden = false
}

async function sayVersion() {
  const { ok, body } = await ask('GET', '/healthz')
  if (ok) the('version').textContent = ` ${body.version}`
}

the('command').textContent = `muster login -s ${location.origin}`
the('leave').addEventListener('click', () => once(signOut))
begin()
sayVersion()
