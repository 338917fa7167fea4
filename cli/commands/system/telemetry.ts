import { ApiCommand } from '../../command.ts'

export default class SystemTelemetry extends ApiCommand<typeof SystemTelemetry> {
  static override summary = 'Show whether the server reports errors to its makers'
  static override examples = ['$ <%= config.bin %> system telemetry']

  async run(): Promise<void> {
    await this.out.value(await this.api.system.telemetry())
  }
}
