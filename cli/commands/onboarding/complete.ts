import { ApiCommand } from '../../command.ts'

export default class OnboardingComplete extends ApiCommand<typeof OnboardingComplete> {
  static override summary = 'Mark the introduction as completed'
  static override examples = ['$ <%= config.bin %> onboarding complete']

  async run(): Promise<void> {
    const reply = await this.api.onboarding.complete()
    await this.out.done('Noted.', reply)
  }
}
