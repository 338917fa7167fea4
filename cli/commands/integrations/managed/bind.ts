import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { appIn } from '../../../integrations/apps.ts'
import { agentId } from '../../../lookup.ts'

export default class IntegrationsManagedBind extends ApiCommand<typeof IntegrationsManagedBind> {
  static override summary = 'Give an agent toolkits of a user of the provider, in place of what it had'
  static override description = 'Without --app it is given all that the user has connected, in full.'
  static override hiddenAliases = ['managed:grant']
  static override examples = [
    '$ <%= config.bin %> integrations managed bind ada team',
    '$ <%= config.bin %> integrations managed bind ada team --app gmail:read --app slack:SLACK_LIST_CHANNELS',
  ]
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    user: Args.string({ required: true, description: 'user of the provider' }),
  }
  static override flags = {
    app: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'TOOLKIT[:MODE|:TOOL,TOOL]',
      description: 'a toolkit in full, to read (:read), or some of its tools; may be repeated',
    }),
    none: Flags.boolean({ exclusive: ['app'], description: 'no toolkit at all' }),
  }

  async run(): Promise<void> {
    const { agent, user } = this.args
    const apps = this.flags.none ? [] : this.flags.app?.map(appIn)
    const id = await agentId(this.api, agent)
    const made = await this.api.managed.grant({ agentId: id, body: { user_id: user, ...(apps && { apps }) } })
    const said = made.apps.map(({ toolkit, mode }) => `${toolkit} (${mode})`).join(', ') || 'nothing'
    await this.out.done(`Gave ${agent} ${said}.`, made)
  }
}
