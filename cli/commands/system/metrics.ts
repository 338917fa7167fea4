import { ApiCommand } from '../../command.ts'

export default class SystemMetrics extends ApiCommand<typeof SystemMetrics> {
  static override summary = 'Print the metrics of the daemon for Prometheus'
  static override examples = ['$ <%= config.bin %> system metrics']

  async run(): Promise<void> {
    this.out.text(await this.api.system.metrics())
  }
}
