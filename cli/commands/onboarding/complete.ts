import { ApiCommand } from '../../command.ts'

export default class OnboardingComplete extends ApiCommand<typeof OnboardingComplete> {
  static override summary = 'Note that you have been shown around'
  static override examples = ['$ <%= config.bin %> onboarding complete']

  async run(): Promise<void> {
    const reply = await this.api.onboarding.complete()
    await this.out.done('Noted.', reply)
  }
}
