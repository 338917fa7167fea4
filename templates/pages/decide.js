import { operations } from './decide-operations.js'
import { announce, ask, changeAccount, complain, once, signInHere, the, turnTo, whoIsHere } from './server.js'

const given = new URLSearchParams(location.search)
const [workspace, id] = ['workspace', 'decision'].map((name) => given.get(name) ?? '')

/** What agents and others wrote, without what hides or turns around other text. */
const plain = (text) =>
  String(text ?? '').replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    '',
  )

/** A path of this server, with what stands for its `:parameters`. */
const filled = (path, params) => path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ''))

const inWorkspace = (path) => `${path}?workspace_id=${encodeURIComponent(workspace)}`

/** Asks for what the link is about. Whatever may not be seen answers like what is not there. */
async function read() {
  const decision = await ask('GET', inWorkspace(`/api/v1/decisions/${encodeURIComponent(id)}`))
  if (!decision.ok) return decision
  const item = await ask('GET', inWorkspace(`/api/v1/inbox/${encodeURIComponent(decision.body.item_id)}`))
  return item.ok ? { ok: true, decision: decision.body, item: item.body } : item
}

async function show() {
  const user = await whoIsHere()
  if (!user) return location.replace(signInHere())
  the('who').textContent = user.email
  the('absent-who').textContent = user.email
  const { ok, status, told, decision, item } = await read()
  if (status === 401) return location.replace(signInHere())
  if (ok) return decision.state === 'open' && item.state !== 'resolved' ? showCard(decision, item) : showEnd(item)
  if (status >= 400 && status < 500 && status !== 429) return turnTo('absent')
  complain(told)
  turnTo('unreachable')
}

function showCard(decision, item) {
  the('title').textContent = plain(item.title)
  the('text').textContent = plain(item.body_md)
  the('text').hidden = !item.body_md
  the('from').textContent = [
    item.sender_name && `From ${plain(item.sender_name)}`,
    `asked ${new Date(item.created_at).toLocaleString()}`,
    decision.deadline_at && `to be decided before ${new Date(decision.deadline_at).toLocaleString()}`,
  ]
    .filter(Boolean)
    .join(', ')
  const { choices } = decision.decides
  const worded = choices.filter(({ text }) => text)
  const needed = worded.filter(({ text }) => text.required).map(({ label }) => label)
  the('answer').hidden = !worded.length
  the('about-words').textContent = needed.length ? `Needed for: ${needed.join(', ')}.` : 'You may leave this empty.'
  the('choices').replaceChildren(...choices.flatMap((choice, at) => buttonOf(decision.decides, choice, at)))
  turnTo('card')
}

function buttonOf(decides, choice, at) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = plain(choice.label)
  button.className = at === 0 && choice.means !== 'deny' ? '' : 'second'
  button.addEventListener('click', () => once(() => decide(decides, choice)))
  if (!choice.effect) return [button]
  const effect = document.createElement('p')
  effect.className = 'soft'
  effect.id = `effect-${at}`
  effect.textContent = plain(choice.effect)
  button.setAttribute('aria-describedby', effect.id)
  return [button, effect]
}

async function decide({ operation: usual, params }, { operation = usual, body, text, label }) {
  complain('')
  const words = the('words').value.trim()
  if (text?.required && !words) {
    complain(`Say something first: "${label}" needs your words.`)
    return the('words').focus()
  }
  if (!Object.hasOwn(operations, operation)) return complain('Only the command line can decide this: muster inbox.')
  const [method, path] = operations[operation]
  const said = text && words ? { [text.member]: words } : {}
  const { ok, status, told } = await ask(method, inWorkspace(filled(path, params)), { ...body, ...said })
  if (status === 401) return location.replace(signInHere())
  if (!ok) return complain(told)
  await show()
  announce(`Done: ${label}.`)
}

const spoken = { timed_out: 'Nobody decided in time', expired: 'Nobody decided in time', cancelled: 'Withdrawn' }

function showEnd({ title, resolved_action: action, resolved_at: at }) {
  the('settled-title').textContent = plain(title)
  const what = plain(spoken[action] ?? action ?? 'decided').replaceAll('_', ' ')
  the('outcome').textContent = at ? `${what}, ${new Date(at).toLocaleString()}` : what
  turnTo('settled')
}

the('form').addEventListener('submit', (event) => event.preventDefault())
for (const name of ['other', 'absent-other']) the(name).addEventListener('click', () => once(changeAccount))
the('again').addEventListener('click', () => once(show))
show()
