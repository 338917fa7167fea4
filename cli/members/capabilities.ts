import { Args } from '@oclif/core'
import type { Capability } from '#contract/capabilities'

export const userArg = { user: Args.string({ required: true, description: 'email or id of the person' }) }
export const capabilityArg = {
  capability: Args.string({
    required: true,
    description: 'as credential.create or credential.rotate; several with commas between',
  }),
}

/** The capabilities of a list with commas. Which there are the server knows. */
export const capabilitiesIn = (text: string): Capability[] =>
  text
    .split(',')
    .map((it) => it.trim())
    .filter(Boolean) as Capability[]
