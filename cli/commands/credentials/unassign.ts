import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { NotFound } from '../../lookup/find.ts'
import { agentId } from '../../lookup.ts'

export default class CredentialsUnassign extends ApiCommand<typeof CredentialsUnassign> {
  static override summary = 'Remove a credential from an agent'
  static override description = 'To remove a credential that an agent gets from its crew, change the credential.'
  static override examples = ['$ <%= config.bin %> credentials unassign main --agent ada']
  static override args = {
    credential: Args.string({ required: true, description: 'name or id of the credential, or id of the assignment' }),
  }
  static override flags = { agent: Flags.string({ required: true, description: 'agent that has the credential' }) }

  async run(): Promise<void> {
    const { agent } = this.flags
    const { credential } = this.args
    const from = await agentId(this.api, agent)
    const rows = (await this.api.credentials.assigned({ agentId: from })).filter(
      ({ grant_source }) => grant_source === 'explicit',
    )
    const found = rows.filter(({ id, credential_id, credential_name }) =>
      [id, credential_id, credential_name].includes(credential),
    )
    if (!found.length) throw new NotFound('assignment', credential, undefined, `muster credentials assigned ${agent}`)
    await this.each(found, ({ id }) => this.api.credentials.unassign({ agentId: from, assignmentId: id }))
    await this.out.done(`Unassigned ${credential} from ${agent}.`)
  }
}
