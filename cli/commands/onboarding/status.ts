import { ApiCommand } from '../../command.ts'

export default class OnboardingStatus extends ApiCommand<typeof OnboardingStatus> {
  static override summary = 'Show whether you have completed the introduction'
  static override examples = ['$ <%= config.bin %> onboarding status --jq .completed']

  async run(): Promise<void> {
    await this.out.show(await this.api.onboarding.status(), {
      name: ({ completed }) => String(completed),
      columns: { Completed: ({ completed }) => completed },
    })
  }
}
