import { Flags } from '@oclif/core'
import { judgeProfiles, judgeProviders, judgeWires } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { InputError } from '../../input.ts'
import { withKey } from '../../keeper/endpoint.ts'
import { judgeConfigView } from '../../views/keeper.ts'

const back = 'default'

export default class KeeperSetConfig extends ApiCommand<typeof KeeperSetConfig> {
  static override summary = 'Set up the judge of credentials'
  static override description =
    'Changes only what is given, from the next request on. "default" takes back what was set. For ADMIN and OWNER of ' +
    'the first workspace of the server.'
  static override examples = [
    '$ <%= config.bin %> keeper set-config --enabled on --endpoint http://localhost:11434 --model qwen3',
    '$ <%= config.bin %> keeper set-config --endpoint https://models.example --model m1 --key-file key.txt',
    '$ <%= config.bin %> keeper set-config --profile strict',
  ]
  static override flags = {
    enabled: Flags.string({ options: ['on', 'off', back], description: 'whether a judge is asked' }),
    provider: Flags.string({ options: [...judgeProviders, back], description: 'kind of server' }),
    endpoint: Flags.string({ helpValue: 'URL', description: 'address of the server' }),
    'key-file': Flags.string({
      helpValue: 'FILE',
      description: 'file with the key for that server; - for standard input',
      dependsOn: ['endpoint'],
    }),
    wire: Flags.string({ options: [...judgeWires, back], description: 'interface of the server' }),
    model: Flags.string({ description: 'model that judges' }),
    timeout: Flags.integer({
      min: 0,
      max: 120_000,
      helpValue: 'MS',
      description: 'milliseconds for a verdict; 0 for the default',
    }),
    profile: Flags.string({ options: [...judgeProfiles, back], description: 'how strictly it is judged' }),
    evidence: Flags.string({ options: ['on', 'off', back], description: 'tell the judge what the database knows' }),
    facts: Flags.string({ helpValue: 'LIST', description: 'what it is told: role, history' }),
    'hard-gate': Flags.string({
      options: ['on', 'off', back],
      description: 'deny high levels to agents without the credential',
    }),
    'escalate-from': Flags.integer({
      min: 0,
      max: 5,
      helpValue: 'LEVEL',
      description: 'people decide from this level on; 0 as the tiers say, 5 never',
    }),
    precedent: Flags.string({ options: ['on', 'off', back], description: 'tell the judge what people decided' }),
    'precedent-n': Flags.integer({
      min: 0,
      max: 10,
      helpValue: 'N',
      description: 'how many decisions; 0 for the default',
    }),
    samples: Flags.integer({
      min: 0,
      max: 9,
      helpValue: 'N',
      description: 'verdicts of which the majority counts; 0 for the default',
    }),
    budget: Flags.integer({ min: 0, helpValue: 'TOKENS', description: 'tokens of a prompt at most; 0 for no bound' }),
  }

  async run(): Promise<void> {
    const { flags } = this
    const text = <T extends string>(value: T | undefined) => (value === back ? '' : value)
    const body = given({
      enabled: text(flags.enabled) as 'on' | 'off' | '' | undefined,
      judge_provider: text(flags.provider) as never,
      judge_endpoint_url: text(await withKey(flags.endpoint, flags['key-file'])),
      judge_wire: text(flags.wire) as never,
      judge_model: text(flags.model),
      judge_timeout_ms: flags.timeout,
      judge_profile: text(flags.profile) as never,
      judge_evidence: text(flags.evidence) as 'on' | 'off' | '' | undefined,
      judge_evidence_facts: flags.facts === back ? null : flags.facts,
      judge_hard_gate: text(flags['hard-gate']) as 'on' | 'off' | '' | undefined,
      judge_escalate_from: flags['escalate-from'],
      judge_precedent: text(flags.precedent) as 'on' | 'off' | '' | undefined,
      judge_precedent_n: flags['precedent-n'],
      judge_consistency_samples: flags.samples,
      judge_prompt_budget_tokens: flags.budget,
    })
    if (!Object.keys(body).length) throw new InputError('Say what is to be set.', 'muster keeper set-config --help')
    await this.out.done(
      'The judge is set up so from now on.',
      await this.api.keeper.setConfig({ body }),
      judgeConfigView,
    )
  }
}
