import { Flags } from '@oclif/core'
import { runStatuses } from '#client/words'
import type { Reply } from '#contract/define'
import type { runs } from '#contract/runs'
import { ApiCommand } from '../../command.ts'
import { listFlags, oneOf, type Window, windowed } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { runView } from '../../views/runs.ts'

const pageSize = 100

export default class RunsList extends ApiCommand<typeof RunsList> {
  static override summary = 'List runs, newest first'
  static override examples = [
    '$ <%= config.bin %> runs',
    '$ <%= config.bin %> runs list --agent ada --status FAILED',
    '$ <%= config.bin %> runs list --status WAITING',
    "$ <%= config.bin %> runs list --all --jq 'group_by(.status) | map({(.[0].status): length}) | add'",
  ]
  static override flags = {
    agent: Flags.string({ description: 'only runs of this agent' }),
    status: oneOf([...runStatuses, 'WAITING'], { description: 'only runs with this status' }),
    trigger: Flags.string({ description: 'only runs with this trigger: USER, ASSIGNMENT, PEER_QUERY, WEBHOOK, CRON' }),
    tag: Flags.string({ description: 'only runs with this tag' }),
    ...listFlags,
    page: Flags.integer({ min: 1, helpValue: 'N', description: 'which page of --limit runs', exclusive: ['all'] }),
  }

  async run(): Promise<void> {
    const { agent, status, trigger, tag } = this.flags
    const standing = status === 'WAITING' ? { waiting: true } : { status }
    const query = { ...standing, trigger, tag, agent_id: agent && (await agentId(this.api, agent)) }
    let last: Awaited<ReturnType<typeof this.api.runs.list>> | undefined
    // The service counts in pages: each but the first is a full one.
    const page = async ({ limit = 50, offset = 0 }: Window) => {
      if (this.flags.page && offset) return []
      const at = this.flags.page ?? offset / pageSize + 1
      last = await this.api.runs.list({ query: { ...query, page: at, limit: offset ? pageSize : limit } })
      return last.data.slice(0, limit)
    }
    await this.out.list(await windowed(this.flags, page, pageSize), runView)
    if (last && this.out.terminal && this.out.wanted.format === 'auto') this.total(last)
  }

  private total({ stats, pagination }: Reply<typeof runs.list>): void {
    const { running, today, failed } = stats
    this.out.note(`Runs: ${pagination.total}. Running: ${running}. Today: ${today}, failed ${failed}.`, 'dim')
  }
}
