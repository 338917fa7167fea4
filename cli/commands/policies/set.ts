import { Args, Flags } from '@oclif/core'
import { autonomyLevels, behaviorModes } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { given, oneOf } from '../../flags.ts'
import { InputError } from '../../input.ts'
import { crewId } from '../../lookup.ts'
import { policyView } from '../../views/policies.ts'

export default class PoliciesSet extends ApiCommand<typeof PoliciesSet> {
  static override summary = 'Set the autonomy policy of a crew'
  static override description =
    'The level strict asks about nearly everything, guided about what is hard to undo, trusted about what ' +
    'reaches beyond the crew, and full about nothing; full requires a reason. The behavior determines what ' +
    'happens when the monitor denies a call: warn lets it proceed, block stops it.'
  static override result = { of: ['policies.set'], members: ['crew'] }
  static override examples = [
    '$ <%= config.bin %> policies set web-team --level strict',
    '$ <%= config.bin %> policies set web-team --level full --reason "a sandbox that is thrown away"',
  ]
  static override next = {
    reason_required: 'repeat with --reason TEXT',
    forbidden_pairing: 'repeat with --behavior warn',
    step_up_required: 'muster account 2fa status',
  }
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }
  static override flags = {
    level: oneOf(autonomyLevels, { description: 'autonomy level (default: unchanged)' }),
    behavior: oneOf(behaviorModes, { description: 'behavior mode (default: unchanged)' }),
    reason: Flags.string({ helpValue: 'TEXT', description: 'reason; required for the level full' }),
  }

  async run(): Promise<void> {
    const { level, behavior, reason } = this.flags
    if (!level && !behavior && reason === undefined)
      throw new InputError('Nothing to change was given.', 'give --level or --behavior')
    const id = await crewId(this.api, this.args.crew)
    const before = await this.api.policies.show({ crewId: id })
    const kept = reason ?? (level === undefined || level === before.autonomy_level ? before.reason : undefined)
    const policy = await this.api.policies.set({
      crewId: id,
      body: given({
        autonomy_level: level ?? before.autonomy_level,
        behavior_mode: behavior ?? before.behavior_mode,
        reason: kept,
      }),
    })
    await this.out.done(
      `${this.args.crew} is ${policy.autonomy_level} now, and ${policy.behavior_mode}s.`,
      { ...policy, crew: this.args.crew },
      policyView,
    )
  }
}
