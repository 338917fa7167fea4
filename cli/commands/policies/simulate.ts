import { Flags } from '@oclif/core'
import { autonomyLevels, behaviorModes } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { momentOf, oneOf } from '../../flags.ts'
import { InputError } from '../../input.ts'
import { crewId } from '../../lookup.ts'
import { simulationView } from '../../views/simulation.ts'

export default class PoliciesSimulate extends ApiCommand<typeof PoliciesSimulate> {
  static override summary = "Simulate another policy on a crew's past decisions"
  static override description =
    'Replays the journal of a crew and reports which of the past decisions would no longer be asked for, which ' +
    'new ones would be, and where the policy would have decided differently from people. Changes nothing.'
  static override result = { of: ['policies.simulate'], members: ['crew'] }
  static override examples = [
    '$ <%= config.bin %> policies simulate --crew web-team --level trusted --since 30d',
    '$ <%= config.bin %> policies simulate --crew web-team --level full --jq .differences',
  ]
  static override next = { forbidden_pairing: 'repeat with --behavior warn' }
  static override flags = {
    crew: Flags.string({ required: true, helpValue: 'CREW', description: 'slug or id of the crew' }),
    level: oneOf(autonomyLevels, { description: 'autonomy level to try' }),
    behavior: oneOf(behaviorModes, { description: 'behavior mode to try (default: unchanged)' }),
    since: Flags.string({
      default: '30d',
      helpValue: 'WHEN',
      description: 'start of the replayed period: a time, or how long ago',
    }),
  }

  async run(): Promise<void> {
    const { crew, level, behavior, since } = this.flags
    if (!level) throw new InputError('--level is missing.', `muster policies simulate --crew ${crew} --level trusted`)
    const from = momentOf(since, '--since')
    const query = { autonomy_level: level, ...(behavior && { behavior_mode: behavior }), ...(from && { since: from }) }
    await this.out.show(
      { ...(await this.api.policies.simulate({ crewId: await crewId(this.api, crew), query })), crew },
      simulationView,
    )
  }
}
