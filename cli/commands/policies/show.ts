import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { crewId } from '../../lookup.ts'
import { policyView } from '../../views/policies.ts'

export default class PoliciesShow extends ApiCommand<typeof PoliciesShow> {
  static override summary = 'Show the autonomy policy of a crew'
  static override result = { of: ['policies.show'], members: ['crew'] }
  static override examples = [
    '$ <%= config.bin %> policies show web-team',
    '$ <%= config.bin %> policies show web-team --json',
  ]
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }

  async run(): Promise<void> {
    const { crew } = this.args
    await this.out.show(
      { ...(await this.api.policies.show({ crewId: await crewId(this.api, crew) })), crew },
      policyView,
    )
  }
}
