import { Args } from '@oclif/core'
import { capabilities } from '#client/words'
import type { Capability } from '#contract/capabilities'
import { InputError } from '../input.ts'

export const userArg = { user: Args.string({ required: true, description: 'email or id of the person' }) }
export const capabilityArg = {
  capability: Args.string({
    required: true,
    description: 'capability, such as credential.create; separate several with commas',
  }),
}

/** The capabilities of a comma-separated list. */
export const capabilitiesIn = (text: string): Capability[] =>
  text
    .split(',')
    .map((it) => it.trim())
    .filter(Boolean)
    .map((word) => {
      const found = capabilities.find((it) => it === word)
      if (found === undefined) throw new InputError(`A capability is one of ${capabilities.join(', ')}, not "${word}".`)
      return found
    })
