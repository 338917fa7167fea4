import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { workspaceInUse } from '../../../contexts/session.ts'
import { exits } from '../../../failure.ts'
import { yesFlag } from '../../../flags.ts'
import { personId } from '../../../lookup.ts'
import { purgedView } from '../../../views/admin.ts'

export default class AdminGdprPurge extends ApiCommand<typeof AdminGdprPurge> {
  static override summary = 'Erase a person from the workspace, for the law'
  static override description =
    'Deletes what is kept about the person, takes their name off what stays, ends their membership, and has erased ' +
    'what the journal says of them. Contents of memory are stored by their hash and stay. It cannot be undone; the ' +
    'reason stays on record. Where a part fails, the rest is done, the exit code is 1, and the same command does ' +
    'what is left.'
  static override hiddenAliases = ['admin:purge-data', 'admin:gdpr:delete']
  static override examples = [
    '$ <%= config.bin %> admin gdpr purge ada@example.com --reason "Request of 26 November"',
    '$ <%= config.bin %> admin gdpr purge cm1user --reason "Request of 26 November" --yes --json',
  ]
  static override next = {
    not_found: 'muster members list',
    own_erasure: 'muster members list',
    owner_remains: 'muster members transfer MEMBER',
    erasure_running: 'muster journal erasures',
  }
  static override args = {
    user: Args.string({ required: true, description: 'email address of a member, or id of somebody who was one' }),
  }
  static override flags = {
    reason: Flags.string({ required: true, description: 'reason, which stays on record: name nobody in it' }),
    ...yesFlag,
  }

  async run(): Promise<void> {
    const { user } = this.args
    const userId = await personId(this.api, workspaceInUse(this.session), user)
    await this.confirm(`Erase ${user} from the workspace? It cannot be undone.`)
    const { reason } = this.flags
    const done = await this.progress('Erasing', this.api.admin.purgeData({ userId, body: { reason } }))
    const { rows_deleted, error } = done
    const sentence = `Erased ${rows_deleted} rows.${error ? ` ${error}; run the same command again.` : ''}`
    await this.out.done(sentence, done, purgedView)
    if (error) this.finish(exits.other)
  }
}
