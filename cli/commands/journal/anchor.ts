import { ApiCommand } from '../../command.ts'
import { anchorView } from '../../views/journal-proof.ts'

export default class JournalAnchor extends ApiCommand<typeof JournalAnchor> {
  static override summary = 'Print a signed anchor of the journal, to be kept elsewhere'
  static override description =
    'The anchor is one word: the current state of the journal of the workspace, signed with a key of the server. ' +
    'Keep it where the server cannot reach it: `muster journal verify --anchor` confirms later that the journal ' +
    'still contains that state.'
  static override examples = [
    '$ <%= config.bin %> journal anchor >> kept.txt',
    '$ <%= config.bin %> journal anchor --json=entries,head,at',
    '$ <%= config.bin %> journal verify --anchor kept.txt',
  ]

  async run(): Promise<void> {
    const anchor = await this.api.journal.anchor({})
    if (this.out.wanted.format === 'auto') this.out.text(`${anchor.anchor}\n`)
    else await this.out.show(anchor, anchorView)
  }
}
