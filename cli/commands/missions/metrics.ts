import { ApiCommand } from '../../command.ts'
import { dollars, span } from '../../output/cell.ts'

export default class MissionsMetrics extends ApiCommand<typeof MissionsMetrics> {
  static override summary = 'Count missions and tasks, and what the last day cost'
  static override examples = ['$ <%= config.bin %> missions metrics', '$ <%= config.bin %> missions metrics --json']

  async run(): Promise<void> {
    await this.out.show(await this.api.missions.metrics(), {
      name: ({ total_missions }) => String(total_missions),
      columns: {
        Missions: ({ total_missions }) => total_missions,
        'Not over': ({ active_missions }) => active_missions,
        'Completed in a day': ({ completed_24h }) => completed_24h,
        'Failed in a day': ({ failed_24h }) => failed_24h,
        'Tasks done in a day': ({ tasks_completed_24h }) => tasks_completed_24h,
        'Tasks failed in a day': ({ tasks_failed_24h }) => tasks_failed_24h,
        'A mission took': ({ avg_completion_time_ms: ms }) => (ms ? span(Math.round(ms / 1000)) : null),
        'Tokens in a day': ({ total_tokens_24h }) => total_tokens_24h,
        'Cost in a day': ({ total_cost_24h }) => dollars(total_cost_24h),
      },
    })
  }
}
