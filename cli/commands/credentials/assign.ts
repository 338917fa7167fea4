import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { durationMs, given } from '../../flags.ts'
import { InputError } from '../../input.ts'
import { agentId, credentialId } from '../../lookup.ts'

export default class CredentialsAssign extends ApiCommand<typeof CredentialsAssign> {
  static override summary = 'Assign a credential to an agent'
  static override description =
    'If several credentials share a variable, the one with the lowest priority number is used first and the ' +
    "others are fallbacks. The variable is the provider's usual one unless it is named."
  static override examples = [
    '$ <%= config.bin %> credentials assign main --agent ada',
    '$ <%= config.bin %> credentials assign spare --agent ada --priority 10 --ttl 7d',
  ]
  static override args = { credential: Args.string({ required: true, description: 'name or id of the credential' }) }
  static override flags = {
    agent: Flags.string({ required: true, description: 'agent that gets the credential' }),
    'env-var-name': Flags.string({
      aliases: ['variable'],
      helpValue: 'NAME',
      description: 'environment variable that holds it',
    }),
    priority: Flags.integer({ helpValue: 'N', description: 'lower numbers are used first (default 0)' }),
    ttl: Flags.string({ helpValue: 'DURATION', description: 'unassign it after this time, up to 30d' }),
  }

  async run(): Promise<void> {
    const { agent, priority, ttl } = this.flags
    const lease = durationMs(ttl, '--ttl')
    const [to, credential] = await Promise.all([agentId(this.api, agent), credentialId(this.api, this.args.credential)])
    const variable = this.flags['env-var-name'] ?? (await this.usual(credential))
    const made = await this.api.credentials.assign({
      agentId: to,
      body: given({
        credential_id: credential,
        env_var_name: variable,
        priority,
        ttl_seconds: lease === undefined ? undefined : Math.round(lease / 1000),
      }),
    })
    await this.out.done(`Assigned ${this.args.credential} to ${agent} as ${variable}.`, made, {
      name: ({ id }) => id,
      columns: { ID: ({ id }) => id },
    })
  }

  private async usual(credentialId: string): Promise<string> {
    const { provider, type } = await this.api.credentials.show({ credentialId })
    if (provider === 'NONE')
      throw new InputError(
        '--env-var-name is missing: the credential has no provider.',
        'repeat with --env-var-name NAME',
      )
    return (await this.api.credentials.variable({ query: { provider, type } })).env_var_name
  }
}
