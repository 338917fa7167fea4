import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { momentOf, windowed, windowFlags } from '../../flags.ts'
import { agentId, crewId } from '../../lookup.ts'
import { collisionView } from '../../views/collisions.ts'

export default class CollisionsList extends ApiCommand<typeof CollisionsList> {
  static override summary = 'List where two agents of a crew wrote the same file while both were at work, newest first'
  static override description =
    'A file, the index of a git work tree, or a branch. `muster collisions watch CREW` says whether a crew is watched.'
  static override examples = [
    '$ <%= config.bin %> collisions',
    '$ <%= config.bin %> collisions list --crew web-team --since 1d',
    '$ <%= config.bin %> collisions list --agent ada --json=path,summary',
  ]
  static override flags = {
    crew: Flags.string({ description: 'only in this crew' }),
    agent: Flags.string({ description: 'only with this agent' }),
    run: Flags.string({ description: 'only with this run' }),
    chat: Flags.string({ description: 'only with work that was asked for in this chat' }),
    since: Flags.string({ helpValue: 'WHEN', description: 'since then, or how long ago, such as 2h' }),
    ...windowFlags,
  }

  async run(): Promise<void> {
    const { crew, agent, run, chat, since } = this.flags
    const wanted = {
      crew_id: crew && (await crewId(this.api, crew)),
      agent_id: agent && (await agentId(this.api, agent)),
      run_id: run,
      chat_id: chat,
      since: momentOf(since, '--since'),
    }
    const page = (query: { limit?: number; offset?: number }) =>
      this.api.collisions.list({ query: { ...query, ...wanted } })
    await this.out.list(await windowed(this.flags, page), collisionView)
  }
}
