import { Flags } from '@oclif/core'
import type { Client } from '#client'
import { given } from '../flags.ts'
import { InputError } from '../input.ts'
import { membersOf } from '../routines/inputs.ts'
import type { Webhook } from '../views/webhooks.ts'
import { storedSecret } from './target.ts'

/** Flags of a webhook that both create and update take. */
export const webhookFlags = {
  input: Flags.string({
    multiple: true,
    helpValue: 'NAME=TEMPLATE',
    description: 'an input of the routine, such as branch={{event.ref}}; may be repeated',
  }),
  rate: Flags.integer({ min: 1, max: 10_000, description: 'calls that it takes a minute; 600 unless given' }),
  version: Flags.integer({
    min: 1,
    helpGroup: 'MORE',
    description: 'version of the routine; the active one unless given',
  }),
  'secret-file': Flags.string({
    helpValue: 'FILE',
    description: 'calls are signed with the secret in this file, or on standard input with -; a new one unless given',
  }),
}

interface Given {
  input?: string[] | undefined
  rate?: number | undefined
  version?: number | undefined
  'secret-file'?: string | undefined
}

/** What the flags say. */
export const membersIn = async ({ input, rate, version, 'secret-file': file }: Given) =>
  given({
    inputs_template: membersOf('input', input),
    rate_limit_per_min: rate,
    target_pipeline_version: version,
    signing_secret: file === undefined ? undefined : await storedSecret(file),
  })

/** A webhook by its name or id. */
export async function webhookCalled(api: Client, workspaceId: string, name: string): Promise<Webhook> {
  const found = (await api.webhooks.list({ workspaceId })).filter((one) => one.id === name || one.name === name)
  if (found.length === 1) return found[0]!
  const many = `There are ${found.length} webhooks called "${name}": name one by its id.`
  throw new InputError(found.length ? many : `There is no webhook "${name}".`, 'muster webhooks list')
}
