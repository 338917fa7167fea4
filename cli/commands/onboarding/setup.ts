import { Args, Flags } from '@oclif/core'
import { cliAdapters, llmProviders } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { given, oneOf } from '../../flags.ts'
import { secret } from '../../input.ts'
import { slugOfWorkspace } from '../../lookup.ts'

export default class OnboardingSetup extends ApiCommand<typeof OnboardingSetup> {
  static override summary = 'Set up a workspace with a first crew, agent and model key'
  static override description =
    'Names your workspace if nothing is in it yet, and creates another one otherwise. ' +
    'It can be done once. With --key ' +
    'the key of the model provider is typed without echo, or read from standard input.'
  static override examples = [
    '$ <%= config.bin %> onboarding setup Research',
    '$ <%= config.bin %> onboarding setup Research --crew "Web team" --agent Ada --key < key.txt',
  ]
  static override next = { onboarding_completed: 'muster crews create NAME' }
  static override args = { name: Args.string({ required: true, description: 'name of the workspace' }) }
  static override flags = {
    language: Flags.string({ description: 'language of the workspace, such as German or de' }),
    crew: Flags.string({ dependsOn: ['agent'], description: 'name of the first crew' }),
    agent: Flags.string({ dependsOn: ['crew'], description: 'name of the first agent' }),
    adapter: oneOf(cliAdapters, { description: 'coding agent that does the work' }),
    provider: oneOf(llmProviders, { description: 'model provider' }),
    model: Flags.string({ description: 'name of the model' }),
    key: Flags.boolean({ description: 'store a key of the model provider' }),
    'key-name': Flags.string({ dependsOn: ['key'], description: 'name of the credential that holds the key' }),
  }

  async run(): Promise<void> {
    const { language, crew, agent, adapter, provider, model, key } = this.flags
    const credential_value = key ? await secret('Key of the model provider') : undefined
    const reply = await this.api.onboarding.setup({
      body: given({
        workspace_name: this.args.name,
        preferred_language: language,
        crew_name: crew,
        agent_name: agent,
        cli_adapter: adapter,
        llm_provider: provider,
        llm_model: model,
        credential_name: this.flags['key-name'],
        credential_value,
      }),
    })
    const slug = await slugOfWorkspace(this.api, reply.workspace_id)
    await this.out.done(`Set up workspace ${slug}.`, reply, {
      name: () => slug,
      columns: {},
    })
  }
}
