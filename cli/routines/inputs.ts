import { Flags } from '@oclif/core'
import { InputError } from '../input.ts'

/** Flags for the inputs of a routine. */
export const inputFlags = {
  input: Flags.string({
    multiple: true,
    helpValue: 'NAME=VALUE',
    description: 'an input: text, or JSON for numbers, lists and objects; may be repeated',
  }),
}

/** Flags for what an event brings along. */
export const payloadFlags = {
  payload: Flags.string({
    multiple: true,
    helpValue: 'NAME=VALUE',
    description: 'a member of what it brings along: text or JSON; may be repeated',
  }),
}

/** `a=1`, `b=text`, `c=["x"]`: JSON where it reads as such, else text; undefined when none is given. */
export function membersOf(flag: string, given: readonly string[] | undefined): Record<string, unknown> | undefined {
  if (!given?.length) return undefined
  return Object.fromEntries(
    given.map((one) => {
      const at = one.indexOf('=')
      if (at < 1) throw new InputError(`--${flag} must be NAME=VALUE, not "${one}".`)
      return [one.slice(0, at), jsonOr(one.slice(at + 1))]
    }),
  )
}

export const inputsIn = ({ input }: { input?: string[] | undefined }) => membersOf('input', input)
export const payloadIn = ({ payload }: { payload?: string[] | undefined }) => membersOf('payload', payload)

function jsonOr(text: string): unknown {
  if (!/^(?:-?\d|true$|false$|null$|["[{])/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
