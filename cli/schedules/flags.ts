import { Flags } from '@oclif/core'
import type { Client } from '#client'
import { catchupPolicies } from '#client/words'
import { given, oneOf } from '../flags.ts'
import { InputError } from '../input.ts'
import { membersOf } from '../routines/inputs.ts'
import type { Schedule } from '../views/schedules.ts'

/** Flags of a schedule that both create and update take. */
export const scheduleFlags = {
  timezone: Flags.string({ helpValue: 'ZONE', description: 'time zone such as Europe/Berlin; UTC unless given' }),
  input: Flags.string({
    multiple: true,
    helpValue: 'NAME=VALUE',
    description: 'an input of the routine: text or JSON; may be repeated',
  }),
  catchup: oneOf(catchupPolicies, { description: 'what to do about times that were missed; skip unless given' }),
  'max-failures': Flags.integer({
    min: 1,
    max: 100,
    description: 'failures in a row that switch it off; 5 unless given',
  }),
  version: Flags.integer({
    min: 1,
    helpGroup: 'MORE',
    description: 'version of the routine; the active one unless given',
  }),
  wake: Flags.string({
    helpValue: 'ROUTINE',
    helpGroup: 'MORE',
    description: 'routine whose output says whether it begins',
  }),
  'wake-input': Flags.string({
    multiple: true,
    helpValue: 'NAME=VALUE',
    helpGroup: 'MORE',
    description: 'an input of that routine',
  }),
  'wake-fail-closed': Flags.boolean({
    allowNo: true,
    helpGroup: 'MORE',
    description: 'do not begin when that routine fails',
  }),
}

interface Given {
  timezone?: string | undefined
  input?: string[] | undefined
  catchup?: (typeof catchupPolicies)[number] | undefined
  'max-failures'?: number | undefined
  version?: number | undefined
  wake?: string | undefined
  'wake-input'?: string[] | undefined
  'wake-fail-closed'?: boolean | undefined
}

/** What the flags say. */
export const membersIn = (flags: Given) =>
  given({
    timezone: flags.timezone,
    inputs: membersOf('input', flags.input),
    catchup_policy: flags.catchup,
    max_consecutive_failures: flags['max-failures'],
    target_pipeline_version: flags.version,
    wake_pipeline_slug: flags.wake,
    wake_inputs: membersOf('wake-input', flags['wake-input']),
    wake_fail_closed: flags['wake-fail-closed'],
  })

/** A schedule by its name or id. */
export async function scheduleCalled(api: Client, workspaceId: string, name: string): Promise<Schedule> {
  const found = (await api.schedules.list({ workspaceId })).filter((one) => one.id === name || one.name === name)
  if (found.length === 1) return found[0]!
  const many = `There are ${found.length} schedules called "${name}": name one by its id.`
  throw new InputError(found.length ? many : `There is no schedule "${name}".`, 'muster schedules list')
}
