import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { policyView } from '../../views/policies.ts'

export default class PoliciesList extends ApiCommand<typeof PoliciesList> {
  static override summary = 'List the autonomy policy of each crew'
  static override result = { of: ['policies.list'], members: ['crew'] }
  static override examples = [
    '$ <%= config.bin %> policies',
    '$ <%= config.bin %> policies list --jq \'.[] | select(.autonomy_level == "full")\'',
  ]
  static override flags = windowFlags

  async run(): Promise<void> {
    const [policies, crews] = await Promise.all([
      windowed(this.flags, (query) => this.api.policies.list({ query })),
      windowed({ all: true }, (query) => this.api.crews.list({ query })),
    ])
    const slugs = new Map(crews.map(({ id, slug }) => [id, slug]))
    const named = policies.map((policy) => ({ ...policy, crew: slugs.get(policy.crew_id) ?? policy.crew_id }))
    await this.out.list(named, policyView)
  }
}
