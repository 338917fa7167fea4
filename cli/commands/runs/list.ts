import { Flags } from '@oclif/core'
import { runStatuses } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { oneOf } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { runView } from '../../views/runs.ts'

export default class RunsList extends ApiCommand<typeof RunsList> {
  static override summary = 'List runs, newest first'
  static override examples = [
    '$ <%= config.bin %> runs',
    '$ <%= config.bin %> runs list --agent ada --status FAILED',
    '$ <%= config.bin %> runs list --status WAITING',
    "$ <%= config.bin %> runs list --jq '.stats'",
  ]
  static override flags = {
    agent: Flags.string({ description: 'only runs of this agent' }),
    status: oneOf([...runStatuses, 'WAITING'], { description: 'only runs with this status' }),
    trigger: Flags.string({ description: 'only runs with this trigger: USER, ASSIGNMENT, PEER_QUERY, WEBHOOK, CRON' }),
    tag: Flags.string({ description: 'only runs with this tag' }),
    limit: Flags.integer({ min: 1, max: 100, helpValue: 'N', description: 'runs per page' }),
    page: Flags.integer({ min: 1, helpValue: 'N', description: 'page number' }),
  }

  async run(): Promise<void> {
    const { agent, status, trigger, tag, limit, page } = this.flags
    const standing = status === 'WAITING' ? { waiting: true } : { status }
    const query = { ...standing, trigger, tag, limit, page, agent_id: agent && (await agentId(this.api, agent)) }
    const reply = await this.api.runs.list({ query })
    await this.out.list(reply.data, runView, reply)
    const { running, today, failed } = reply.stats
    const { page: at, total_pages: pages, total } = reply.pagination
    if (this.out.terminal && this.out.wanted.format === 'auto')
      this.out.note(
        `Page ${at} of ${Math.max(1, pages)}, ${total} runs. Running: ${running}. Today: ${today}, failed ${failed}.`,
        'dim',
      )
  }
}
