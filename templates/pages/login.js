import { announce, ask, complain, once, ownPath, the, whoIsHere } from './server.js'

const given = new URLSearchParams(location.search)
const callbackUrl = ownPath(given.get('callbackUrl'))
const wrong = 'The email address or the password is wrong.'

async function signIn() {
  const csrf = await ask('GET', '/api/auth/csrf')
  if (!csrf.ok) return complain(csrf.told)
  const { ok, body, told } = await ask('POST', '/api/auth/callback/credentials', {
    email: the('email').value.trim(),
    password: the('password').value,
    csrfToken: csrf.body.csrfToken,
    callbackUrl,
    ...(the('factor').hidden ? {} : { code: the('code').value.trim() }),
  })
  if (!ok) return complain(told)
  if (body.ok) return location.replace(ownPath(body.url))
  if (body.error.startsWith('SecondFactor')) return askForCode(body.error === 'SecondFactorInvalid')
  the('factor').hidden = true
  complain(wrong)
  the('password').value = ''
  the('password').focus()
}

function askForCode(again) {
  the('factor').hidden = false
  the('code').required = true
  the('code').value = ''
  if (again) complain('This code is not right. Codes change every 30 seconds.')
  else announce('The password is right. Enter the code of your second factor.')
  the('code').focus()
}

async function forgot() {
  const email = the('email').value.trim()
  if (!email) {
    complain('Enter your email address first; the mail goes there.')
    return the('email').focus()
  }
  const { ok, body, told } = await ask('POST', '/api/v1/auth/forgot', { email })
  if (ok) announce(body.message)
  else complain(told)
}

async function explain(error) {
  const { ok, body } = await ask('GET', `/api/auth/error?error=${encodeURIComponent(error)}`)
  if (ok) complain(`${body.message}.`)
}

async function offerProvider() {
  const { ok, body } = await ask('GET', '/api/auth/providers')
  if (!ok || !body.idp) return
  the('provider').textContent = `Sign in with ${body.idp.name}`
  the('provider').href = `${body.idp.signinUrl}?redirect=${encodeURIComponent(callbackUrl)}`
  the('provider').hidden = false
}

async function offerToGoOn() {
  const user = await whoIsHere()
  if (!user) return
  the('who').textContent = user.email
  the('on').href = callbackUrl
  the('here').hidden = false
}

the('form').addEventListener('submit', (event) => {
  event.preventDefault()
  complain('')
  once(signIn)
})
the('forgot').addEventListener('click', () => once(forgot))
if (given.get('error')) explain(given.get('error'))
offerProvider()
offerToGoOn()
the('email').focus()
