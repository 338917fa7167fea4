import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { yesFlag } from '../../flags.ts'
import { personId } from '../../lookup.ts'
import { erasureView } from '../../views/journal-compaction.ts'

export default class JournalErase extends ApiCommand<typeof JournalErase> {
  static override summary = 'Erase what the journal says of a person, for the law'
  static override description =
    'Entries that the person caused or that name them stay in the journal, with when and by whom, but without what ' +
    'they said; the chain of hashes still holds. It cannot be undone. The reason stays on record.'
  static override examples = [
    '$ <%= config.bin %> journal erase ada@example.com --reason "Request of 26 November" --dry-run',
    '$ <%= config.bin %> journal erase cm1user --reason "Request of 26 November" --yes',
  ]
  static override next = { erasure_running: 'muster journal erasures', own_erasure: 'muster members list' }
  static override args = {
    user: Args.string({ required: true, description: 'email address of a member, or id of somebody who was one' }),
  }
  static override flags = {
    reason: Flags.string({ required: true, description: 'reason, which stays on record: name nobody in it' }),
    ...yesFlag,
  }

  async run(): Promise<void> {
    const { user } = this.args
    const id = await personId(this.api, workspaceInUse(this.session), user)
    await this.confirm(`Erase what the journal says of ${user}? It cannot be undone.`)
    const begun = await this.api.journal.erase({ body: { user_id: id, reason: this.flags.reason } })
    await this.out.done(`Erasing what the journal says of ${user}.`, begun, erasureView)
  }
}
