import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given, yesFlag } from '../../flags.ts'
import { credentialId } from '../../lookup.ts'
import { type Scopes, scopesView } from '../../views/credential-scopes.ts'

const decisions = ['once', 'always', 'deny'] as const
const said = { once: 'Allowed once.', always: 'Allowed from now on.', deny: 'Denied.' }

export default class CredentialsScopes extends ApiCommand<typeof CredentialsScopes> {
  static override summary = 'Show what a credential was used for, and keep it to that'
  static override description =
    'Without flags it proposes the narrowest rules that would have allowed what the credential was used for. With ' +
    '--enforce it is good for these alone: everything else is held back and becomes a question in the inbox.'
  static override result = { of: ['credentials.scopes'] }
  static override hiddenAliases = ['credentials:enforce-scopes', 'credentials:end-scopes', 'credentials:decide-use']
  static override examples = [
    '$ <%= config.bin %> credentials scopes main',
    '$ <%= config.bin %> credentials scopes main --days 7 --json',
    '$ <%= config.bin %> credentials scopes main --enforce',
    '$ <%= config.bin %> credentials scopes main --question QUESTION --decision always',
    '$ <%= config.bin %> credentials scopes main --clear',
  ]
  static override next = {
    scopes_changed: 'muster credentials scopes NAME',
    scopes_unknown: 'muster credentials scopes NAME --days 90',
    use_settled: 'muster credentials scopes NAME',
    second_approver_required: 'muster members list',
  }
  static override args = { credential: Args.string({ required: true, description: 'name or id of the credential' }) }
  static override flags = {
    days: Flags.integer({ min: 1, max: 90, helpValue: 'DAYS', description: 'days of uses to look at (default 30)' }),
    enforce: Flags.boolean({ exclusive: ['clear', 'question'], description: 'keep it to the proposed rules' }),
    clear: Flags.boolean({ exclusive: ['question'], description: 'let it be used for everything again' }),
    question: Flags.string({ helpValue: 'QUESTION', dependsOn: ['decision'], description: 'a use that waits' }),
    decision: Flags.string({ options: [...decisions], dependsOn: ['question'], description: 'what is decided of it' }),
    reason: Flags.string({ helpValue: 'TEXT', dependsOn: ['question'], description: 'reason of the decision' }),
    ...yesFlag,
  }

  async run(): Promise<void> {
    const { clear, enforce, question, days } = this.flags
    const id = await credentialId(this.api, this.args.credential)
    if (question !== undefined) return await this.decide(id, question)
    if (clear) {
      const shown = await this.api.credentials.endScopes({ credentialId: id })
      return await this.out.done(`${shown.credential_name} may be used for everything.`, shown, scopesView)
    }
    const shown = await this.api.credentials.scopes({ credentialId: id, query: given({ days }) })
    if (enforce) await this.enforce(id, shown)
    else await this.out.show(shown, scopesView)
  }

  private async enforce(credentialId: string, shown: Scopes): Promise<void> {
    const { credential_name: name, proposed, revision, days, unseen } = shown
    for (const { method, host, path } of proposed) this.out.note(`${method} ${host}${path}`)
    if (unseen) this.out.note('Programs are not given its value any more unless people allow it.', 'yellow')
    await this.confirm(`Keep ${name} to ${proposed.length === 1 ? 'this rule' : `these ${proposed.length} rules`}?`)
    const kept = await this.api.credentials.enforceScopes({ credentialId, body: { days, revision } })
    await this.out.done(`${name} is kept to its scopes; all else becomes a question.`, kept, scopesView)
  }

  private async decide(credentialId: string, questionId: string): Promise<void> {
    const decision = this.flags.decision as (typeof decisions)[number]
    const body = { decision, ...given({ reason: this.flags.reason }) }
    await this.out.done(said[decision], await this.api.credentials.decideUse({ credentialId, questionId, body }))
  }
}
