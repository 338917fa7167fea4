import { Flags } from '@oclif/core'
import { secret } from '../input.ts'

/** Flags for a client that was registered by hand. */
export const clientFlags = {
  'client-id': Flags.string({ helpValue: 'ID', description: 'id of a client that you registered there' }),
  'client-secret-stdin': Flags.boolean({
    dependsOn: ['client-id'],
    description: 'read the secret of that client from standard input, or ask for it',
  }),
}

/** The members of a body that these flags say; a secret is no argument. */
export async function clientIn(flags: {
  'client-id'?: string | undefined
  'client-secret-stdin'?: boolean
}): Promise<{ client_id?: string; client_secret?: string }> {
  const id = flags['client-id']
  if (id === undefined) return {}
  if (!flags['client-secret-stdin']) return { client_id: id }
  return { client_id: id, client_secret: (await secret('Secret of the client')).trim() }
}
