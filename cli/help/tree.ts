import type { Command } from '@oclif/core'
import type { Registry } from '../main.ts'
import { argumentsOf } from '../usage.ts'
import { pageOf } from './docs.ts'

/** A command as programs read it. */
export interface CommandRow {
  command: string
  summary: string
  description: string | null
  usage: string
  aliases: string[]
  arguments: { name: string; description: string; required: boolean; values: readonly string[] | null }[]
  flags: {
    name: string
    short: string | null
    description: string
    takes_value: boolean
    required: boolean
    repeatable: boolean
    values: readonly string[] | null
    /** Every command has it. */
    global: boolean
  }[]
  examples: string[]
  documentation: string
}

const spaced = (id: string) => id.replaceAll(':', ' ')
const named = (text: string) => text.replaceAll('<%= config.bin %>', 'muster').replace(/^\$ /, '')

/** All listed commands with what they take, by name. */
export const commandTree = (registry: Registry): CommandRow[] =>
  [...registry.ids].sort().map((id) => rowOf(registry.describe(id), registry))

function rowOf(command: Command.Cached, registry: Registry): CommandRow {
  const { id, summary = '', description = null, aliases, args, flags, strict, examples = [] } = command
  const own = Object.values(args).filter(({ hidden }) => !hidden)
  return {
    command: spaced(id),
    summary,
    description,
    usage: ['muster', spaced(id), argumentsOf(own, strict), '[FLAGS]'].filter(Boolean).join(' '),
    aliases: aliases.map(spaced),
    arguments: own.map((it) => ({
      name: it.name.toUpperCase(),
      description: it.description ?? '',
      required: it.required === true,
      values: it.options ?? null,
    })),
    flags: Object.values(flags).flatMap((flag) => (flag.hidden ? [] : [flagOf(flag)])),
    examples: examples.map((it) => named(typeof it === 'string' ? it : it.command)),
    documentation: pageOf(id, registry),
  }
}

function flagOf(flag: Command.Flag.Cached): CommandRow['flags'][number] {
  const { name, char, summary, description, type, required, helpGroup } = flag
  return {
    name,
    short: char ?? null,
    description: summary ?? description ?? '',
    takes_value: type === 'option',
    required: required === true,
    repeatable: 'multiple' in flag && flag.multiple === true,
    values: valuesOf(flag),
    global: helpGroup === 'GLOBAL',
  }
}

/** What a flag can be: oclif's own options, or words with a bar between them. */
function valuesOf(flag: Command.Flag.Cached): readonly string[] | null {
  if (!('options' in flag || 'helpValue' in flag)) return null
  const { options, helpValue } = flag
  if (options) return options
  return typeof helpValue === 'string' && /^\w+(\|\w+)+$/.test(helpValue) ? helpValue.split('|') : null
}
