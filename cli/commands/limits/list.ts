import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { limiterView } from '../../views/limits.ts'

export default class LimitsList extends ApiCommand<typeof LimitsList> {
  static override summary = 'List the server limits that can be changed at run time'
  static override description = "Requires the role ADMIN or OWNER in the server's first workspace."
  static override hiddenAliases = ['admin:ratelimits:list']
  static override examples = [
    '$ <%= config.bin %> limits',
    "$ <%= config.bin %> limits list --jq '.[] | select(.overridden) | .key'",
  ]
  static override flags = listFlags

  async run(): Promise<void> {
    const reply = await this.api.limits.list()
    await this.out.list(limited(reply.limiters, this.flags), limiterView)
  }
}
