import { ApiCommand } from '../../command.ts'
import { exits } from '../../failure.ts'

export default class JournalVerify extends ApiCommand<typeof JournalVerify> {
  static override summary = 'Check the chain of hashes over the whole journal'
  static override description = 'Ends with 1 when an entry does not hold. Keep the hash of the newest entry elsewhere: with it a cut at the end is noticed too.'
  static override examples = ['$ <%= config.bin %> journal verify', '$ <%= config.bin %> journal verify --jq .head.hash']

  async run(): Promise<void> {
    const result = await this.progress('Checking the journal', this.api.journal.verify({}, { timeout: 600_000 }))
    await this.out.show(result, {
      name: ({ valid }) => (valid ? 'valid' : 'broken'),
      columns: {
        Journal: ({ valid }) => (valid ? { text: 'holds', value: 'valid', tone: 'green' } : { text: 'is broken', value: 'broken', tone: 'red' }),
        Entries: ({ entries }) => entries,
        Erased: ({ erased }) => erased || null,
        Newest: ({ head }) => head?.id,
        Hash: ({ head }) => head?.hash,
        'First broken': ({ broken }) => (broken ? { text: `${broken.id}: ${broken.reason}`, value: broken.id, tone: 'red' } : null),
      },
    })
    if (!result.valid) this.finish(exits.other)
  }
}
