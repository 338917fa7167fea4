import { Flags } from '@oclif/core'
import { memoryKinds } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { given, limited, listFlags, momentOf } from '../../flags.ts'
import { historyView } from '../../views/memory.ts'

export default class MemoryHistory extends ApiCommand<typeof MemoryHistory> {
  static override summary = 'List the versions of all memory files, newest first'
  static override description = 'For ADMIN. `muster memory versions` lists those of one file.'
  static override result = {
    members: ['id', 'path', 'tier', 'sha256', 'bytes', 'written_at', 'written_by', 'parent_sha'],
  }
  static override examples = [
    '$ <%= config.bin %> memory history --agent ada --since 2d',
    '$ <%= config.bin %> memory history --tier learned --all',
  ]
  static override flags = {
    tier: Flags.string({ options: [...memoryKinds], description: 'kind of memory' }),
    agent: Flags.string({ helpValue: 'AGENT', description: 'slug of the agent' }),
    'path-prefix': Flags.string({ helpValue: 'TEXT', description: 'beginning of the path' }),
    since: Flags.string({ helpValue: 'TIME', description: 'time, or a duration ago' }),
    until: Flags.string({ helpValue: 'TIME', description: 'time, or a duration ago' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { tier, agent, since, until, limit = Infinity, all } = this.flags
    const filter = given({
      tier,
      agent_slug: agent,
      path_prefix: this.flags['path-prefix'],
      since: momentOf(since, '--since'),
      until: momentOf(until, '--until'),
    })
    const rows = []
    for (let cursor: string | undefined; ; ) {
      const size = all || limit !== Infinity ? Math.min(500, limit - rows.length) : undefined
      const page = await this.api.memory.history({ query: given({ ...filter, cursor, limit: size }) })
      rows.push(...page.rows)
      cursor = page.next_cursor ?? undefined
      if (size === undefined || !cursor || rows.length >= limit) break
    }
    await this.out.list(limited(rows, this.flags), historyView)
  }
}
