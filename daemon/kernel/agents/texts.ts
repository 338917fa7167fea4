import type { AgentCall } from '#contract/define'
import type { App } from '../app.ts'
import { isObject, type Members, outOfBounds } from '../http/json-bounds.ts'
import { problem } from '../problem.ts'

/** Who calls; ids that are unknown are empty. */
export interface Asker {
  workspace_id: string
  crew_id: string
  agent_id: string
}

/** Refuses a body that could not be walked, stored or serialized. */
export function checkBounds(body: unknown): void {
  const flaw = outOfBounds(body)
  if (flaw) throw problem('invalid_json', { detail: `The body cannot be taken: ${flaw}` })
}

/** Removes secrets that an agent was given from all texts and names of its call, except the member that is sealed. */
export function withoutSecrets(app: App, { sealed }: AgentCall, asker: Asker, given: Members): Members {
  const { body, value } = sealed ? unsealed(sealed, given) : { body: given, value: undefined }
  // The offered value is a secret from now on, so it is removed from everything else.
  const clean = app.scrub(asker, value === undefined ? [] : [value])(inOneForm(body) as Members)
  if (value === undefined) return clean
  const { within, member } = sealed!
  return { ...clean, [within]: { ...(clean[within] as Members), [member]: value } }
}

interface Unsealed {
  body: Members
  value: string | undefined
}

/** The body with its sealed part as an object, and the sealed text. */
function unsealed({ within, member, when }: NonNullable<AgentCall['sealed']>, body: Members): Unsealed {
  if (body[when[0]] !== when[1]) return { body, value: undefined }
  const part = body[within]
  const object = typeof part === 'string' ? parsed(part) : part
  if (!isObject(object)) return { body, value: undefined }
  const { [member]: value, ...rest } = object
  if (typeof value !== 'string') return { body: { ...body, [within]: object }, value: undefined }
  return { body: { ...body, [within]: rest }, value }
}

function parsed(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  checkBounds(value)
  return value
}

/** Normalizes texts to NFC, as names are stored: a secret that normalization creates later would not be found. */
function inOneForm(value: unknown): unknown {
  if (typeof value === 'string') return value.normalize('NFC')
  if (Array.isArray(value)) return value.map(inOneForm)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.normalize('NFC'), inOneForm(member)]))
}
