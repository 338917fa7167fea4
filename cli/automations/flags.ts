import { Flags } from '@oclif/core'
import type { Client } from '#client'
import { severities } from '#client/words'

import { InputError } from '../input.ts'
import { agentId, crewId } from '../lookup.ts'
import { membersOf } from '../routines/inputs.ts'
import type { Automation } from '../views/automations.ts'

/** Flags of what an entry must be. */
export const matcherFlags = {
  crew: Flags.string({ multiple: true, description: 'only entries of this crew; may be repeated' }),
  agent: Flags.string({ multiple: true, description: 'only entries of this agent; may be repeated' }),
  mission: Flags.string({ multiple: true, helpValue: 'ID', description: 'only entries of this mission or issue' }),
  severity: Flags.string({
    multiple: true,
    options: [...severities],
    helpValue: severities.join('|'),
    description: 'only entries of this severity; may be repeated',
  }),
  'payload-equals': Flags.string({
    multiple: true,
    helpValue: 'KEY=VALUE',
    description: 'only entries whose payload has this member: text, or JSON for numbers and the like',
  }),
}

/** Flags of what begins. */
export const actionFlags = {
  input: Flags.string({
    multiple: true,
    helpValue: 'NAME=VALUE',
    description: 'an input of the routine; {{ event.payload.NAME }} within',
  }),
  'debounce-seconds': Flags.integer({
    min: 0,
    max: 3600,
    description: 'how long matches become one run; 10 unless given',
  }),
  'max-per-hour': Flags.integer({ min: 1, max: 10_000, description: 'runs in an hour at most; 60 unless given' }),
}

interface Given {
  crew?: string[] | undefined
  agent?: string[] | undefined
  mission?: string[] | undefined
  severity?: string[] | undefined
  'payload-equals'?: string[] | undefined
}

/** The matcher that the flags say; undefined when they say nothing. */
export async function matcherOf(api: Client, flags: Given): Promise<Record<string, unknown> | undefined> {
  const { crew = [], agent = [], mission = [], severity = [] } = flags
  const payload_equals = membersOf('payload-equals', flags['payload-equals'])
  const matcher = {
    ...(crew.length && { crew_ids: await Promise.all(crew.map((name) => crewId(api, name))) }),
    ...(agent.length && { agent_ids: await Promise.all(agent.map((name) => agentId(api, name))) }),
    ...(mission.length && { mission_ids: mission }),
    ...(severity.length && { severities: severity }),
    ...(payload_equals && { payload_equals }),
  }
  return Object.keys(matcher).length ? matcher : undefined
}

/** An automation by its name or id. */
export async function automationCalled(api: Client, name: string): Promise<Automation> {
  const { automations } = await api.automations.list({})
  const found = automations.filter((one) => one.id === name || one.name === name)
  if (found.length === 1) return found[0]!
  const many = found.length > 1 ? `There are ${found.length} automations called "${name}": name one by its id.` : null
  throw new InputError(many ?? `There is no automation "${name}".`, 'muster automations list')
}
