import { endpoints } from '#contract'
import { type Json, object, parseObject } from './json.ts'
import { mask } from './scrub.ts'

/** Where agents hand a secret over: the places that the contract seals. */
const sealed = endpoints.flatMap(({ endpoint }) => endpoint.agent?.sealed ?? [])

/** Quick: false where no secret can be offered in a text. */
export const mayOffer = (text: string): boolean => sealed.some(({ when }) => text.includes(when[1]))

/** What a client shows of a call, without the secrets that are offered in it, and those secrets. */
export function hideOffers(input: unknown): { shown: unknown; offered: string[] } {
  const offered: string[] = []
  const hide = (value: unknown): unknown => {
    if (typeof value === 'string') return inText(value)
    return typeof value === 'object' && value !== null ? hideIn(value, hide, offered) : value
  }
  // Some clients write what a tool is called with as JSON text.
  const inText = (text: string): string => {
    const before = offered.length
    const shown = mayOffer(text) ? hide(parseObject(text)) : undefined
    return offered.length > before ? JSON.stringify(shown) : text
  }
  return { shown: holdsOffer(input) ? hide(input) : input, offered }
}

/** Whether `hideOffers` has anything to look at: most calls are not copied. */
function holdsOffer(value: unknown): boolean {
  if (typeof value === 'string') return mayOffer(value)
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) ? value.some(holdsOffer) : Object.values(value).some(holdsOffer)
}

/** The secrets that a client's line offers. Texts in it are not read as JSON: they may be what the agent looked at. */
export function offersIn(line: Json): string[] {
  const offered: string[] = []
  const look = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? hideIn(value, look, offered) : value
  look(line)
  return offered
}

function hideIn(value: object, hide: (member: unknown) => unknown, offered: string[]): unknown {
  if (Array.isArray(value)) return value.map(hide)
  const given = value as Json
  const shown = Object.fromEntries(Object.entries(given).map(([name, member]) => [name, hide(member)]))
  for (const { within, member, when } of sealed) {
    if (!(within in given) || given[when[0]] !== when[1]) continue
    offered.push(...secretsIn(given[within], member))
    shown[within] = mask
  }
  return shown
}

/** The sealed part is an object, or JSON text of one; of any other text nobody knows which part is the secret. */
function secretsIn(part: unknown, member: string): string[] {
  const value = object(typeof part === 'string' ? (parseObject(part) ?? { [member]: part }) : part)[member]
  return typeof value === 'string' ? [value] : []
}
