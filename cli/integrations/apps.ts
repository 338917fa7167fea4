import { grantModes } from '#client/words'
import { InputError } from '../input.ts'

type Mode = (typeof grantModes)[number]

/** A toolkit with a mode, or with the tools that are given of it. */
export function appIn(text: string): { toolkit: string; mode: Mode; tools?: string[] } {
  const [toolkit = '', what, more] = text.split(':')
  if (!toolkit || what === '' || more !== undefined)
    throw new InputError('--app must have TOOLKIT, TOOLKIT:read or TOOLKIT:TOOL,TOOL.')
  if (what === undefined) return { toolkit, mode: 'full' }
  const mode = grantModes.find((it) => it === what)
  return mode ? { toolkit, mode } : { toolkit, mode: 'custom', tools: what.split(',').filter(Boolean) }
}
