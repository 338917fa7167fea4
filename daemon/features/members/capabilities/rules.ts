import type { Static } from 'typebox'
import { type Capability, capabilities, presetCapabilities } from '#contract/capabilities'
import type { memberCapabilities } from '#contract/member-capabilities'
import { problem } from '#kernel/problem'

type Body = Static<(typeof memberCapabilities)['setCapabilities']['body']>

const ways = ['set', 'grant', 'revoke', 'preset'] as const

/** What a member holds after a change, in the order of the catalogue; `chat` is always among it. */
export function after(held: readonly Capability[], body: Body): Capability[] {
  const wanted = ways.filter((way) => body[way] !== undefined)
  const [way, another] = wanted
  if (!way) throw problem('no_fields', { detail: `Name one of ${ways.join(', ')}` })
  if (another)
    throw problem('invalid_field', {
      field: another,
      detail: `Name one of ${ways.join(', ')}, not ${wanted.join(' and ')}`,
    })
  if (way === 'preset') return presetCapabilities(body.preset!)
  const named = body[way]!
  for (const [index, it] of named.entries()) {
    const refuse = (detail: string) => problem('invalid_field', { field: `${way}.${index}`, detail })
    if (way === 'revoke' && it === 'chat') throw refuse('chat cannot be revoked: every member may chat')
  }
  const taken = (it: Capability) => way === 'set' || (way === 'revoke' && named.includes(it))
  const given = (it: Capability) => way !== 'revoke' && named.includes(it)
  return capabilities.filter((it) => it === 'chat' || given(it) || (held.includes(it) && !taken(it)))
}
