import { ask, complain, once, takeFromAddress, the, turnTo } from './server.js'

const token = takeFromAddress('token')

async function reset() {
  const password = the('password').value
  const [first, second] = [the('password'), the('again')]
  if ([...password].length < 8) return refuse('The password needs at least 8 characters.', first)
  if (new TextEncoder().encode(password).length > 72) return refuse('The password may have at most 72 bytes.', first)
  if (second.value !== password) return refuse('The two passwords differ.', second)
  const { ok, told } = await ask('POST', '/api/v1/auth/reset', { token, new_password: password })
  if (!ok) return refuse(told, first)
  turnTo('done')
}

function refuse(text, field) {
  complain(text)
  field.focus()
}

for (const code of document.querySelectorAll('.terminal'))
  code.textContent = `muster account reset -s ${location.origin}`
the('form').addEventListener('submit', (event) => {
  event.preventDefault()
  complain('')
  once(reset)
})
turnTo(token ? 'asking' : 'incomplete')
if (token) the('password').focus()
