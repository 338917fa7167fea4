import { Flags } from '@oclif/core'
import { auditSources } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { given, listFlags, momentOf, oneOf, type Window, windowed } from '../../flags.ts'
import { changeView } from '../../views/audit.ts'

const pageSize = 200

export default class AuditList extends ApiCommand<typeof AuditList> {
  static override summary = 'List what was changed in the workspace and by whom, newest first'
  static override description =
    'Creations, changes and deletions as the journal tells them. What was done with one credential is in `muster ' +
    'credentials audit`, everything else in `muster journal list`.'
  static override examples = [
    '$ <%= config.bin %> audit list --since 7d',
    '$ <%= config.bin %> audit list --source credentials --action delete',
    '$ <%= config.bin %> audit list --type agent --all --json=created_at,action,entity_name',
  ]
  static override flags = {
    source: oneOf(auditSources, { description: 'only what concerns these' }),
    type: Flags.string({ helpValue: 'KIND', description: 'only things of this kind, such as agent or crew' }),
    action: Flags.string({ description: 'only this action, such as create, update, delete' }),
    by: Flags.string({ helpValue: 'ID', description: 'only what the person with this id did' }),
    since: Flags.string({ helpValue: 'TIME', description: 'only from this time on: a time, or a duration ago' }),
    until: Flags.string({ helpValue: 'TIME', description: 'only before this time' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { source, type, action, by, since, until } = this.flags
    const query = {
      source,
      entity_type: type,
      action,
      user_id: by,
      date_from: momentOf(since, '--since'),
      date_to: momentOf(until, '--until'),
    }
    // The service counts in pages: each but the first is a full one.
    const page = async ({ limit = 50, offset = 0 }: Window) => {
      const at = { page: offset / pageSize + 1, limit: offset ? pageSize : limit }
      const { data } = await this.api.audit.list({ query: given({ ...query, ...at }) })
      return data.slice(0, limit)
    }
    await this.out.list(await windowed(this.flags, page, pageSize), changeView)
  }
}
