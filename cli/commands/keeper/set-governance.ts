import { Flags } from '@oclif/core'
import { judgeProviders, watchPresets } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'
import { InputError } from '../../input.ts'
import { credentialId, userId } from '../../lookup.ts'
import { governanceView } from '../../views/keeper.ts'

export default class KeeperSetGovernance extends ApiCommand<typeof KeeperSetGovernance> {
  static override summary = 'Set what the workspace asks of the judge'
  static override description = 'Changes only what is given. Empty text takes back what was set.'
  static override examples = [
    '$ <%= config.bin %> keeper set-governance --enabled --preset credentials --preset destructive',
    '$ <%= config.bin %> keeper set-governance --contact ada@example.com --min-risk 5',
    '$ <%= config.bin %> keeper set-governance --second-approver --lease 3600',
    '$ <%= config.bin %> keeper set-governance --monitor-calls',
  ]
  static override flags = {
    enabled: Flags.boolean({ allowNo: true, description: 'whether watch rules are told to the judge' }),
    preset: Flags.string({
      multiple: true,
      options: [...watchPresets, ''],
      description: 'watch rules that come with Muster; "" for none',
    }),
    watch: Flags.string({ helpValue: 'TEXT', description: 'watch rules of your own' }),
    contact: Flags.string({ description: 'who is told of denials, by email or id; by default OWNER and ADMIN' }),
    'min-risk': Flags.integer({
      min: 1,
      max: 10,
      helpValue: 'RISK',
      description: 'denials from this risk on are told',
    }),
    'second-approver': Flags.boolean({ allowNo: true, description: 'whether two people decide about secrets' }),
    lease: Flags.integer({
      min: 0,
      max: 2_592_000,
      helpValue: 'SECONDS',
      description: 'how long an allowed credential stays; 0 for no end',
    }),
    'monitor-calls': Flags.boolean({ allowNo: true, description: 'whether a model judges each call of a tool' }),
    provider: Flags.string({ options: [...judgeProviders, ''], description: 'who judges for this workspace' }),
    model: Flags.string({ description: 'model that judges for this workspace' }),
    credential: Flags.string({ description: 'key for it, by name or id' }),
  }

  async run(): Promise<void> {
    const { enabled, preset, watch, contact, lease, provider, model, credential } = this.flags
    const body = given({
      enabled,
      watch_presets: preset?.filter(Boolean) as never,
      watch_spec: watch,
      security_contact_user_id: contact?.includes('@')
        ? await userId(this.api, workspaceInUse(this.session), contact)
        : contact,
      deny_notify_min_risk: this.flags['min-risk'],
      require_second_approver: this.flags['second-approver'],
      auto_lease_seconds: lease,
      monitor_tool_calls: this.flags['monitor-calls'],
      gov_model_provider: provider as never,
      gov_model_id: model,
      gov_model_credential_id: credential ? await credentialId(this.api, credential) : credential,
    })
    if (!Object.keys(body).length) throw new InputError('Say what is to be set.', 'muster keeper set-governance --help')
    const reply = await this.api.keeper.setGovernance({ body })
    await this.out.done('The judge is asked so from now on.', reply, governanceView)
  }
}
