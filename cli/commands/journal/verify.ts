import { existsSync, readFileSync } from 'node:fs'
import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { exits } from '../../failure.ts'
import { InputError, stdinText } from '../../input.ts'
import { verdictView } from '../../views/journal-proof.ts'

export default class JournalVerify extends ApiCommand<typeof JournalVerify> {
  static override summary = 'Verify that nobody altered the journal'
  static override description =
    'Checks every entry against its predecessor, the filter columns against the entries, and the whole against ' +
    'the seals that the daemon keeps beside its database. Reports what these checks prove and what they cannot. ' +
    'Exits with 1 if a check fails.'
  static override examples = [
    '$ <%= config.bin %> journal verify',
    '$ <%= config.bin %> journal verify --anchor kept.txt',
    '$ <%= config.bin %> journal verify --json=valid,not_proven,broken',
  ]
  static override flags = {
    anchor: Flags.string({
      helpValue: 'FILE|TEXT|-',
      description: 'verify against an anchor that `muster journal anchor` printed',
    }),
  }

  async run(): Promise<void> {
    const anchor = this.flags.anchor === undefined ? undefined : await readAnchor(this.flags.anchor)
    const query = anchor === undefined ? {} : { anchor }
    const verdict = await this.progress(
      'Checking the journal',
      this.api.journal.verify({ query }, { timeout: 600_000 }),
    )
    await this.out.show(verdict, verdictView)
    if (!verdict.valid) this.finish(exits.other)
  }
}

/** The last anchor in the file, to which new ones are appended. */
async function readAnchor(given: string): Promise<string> {
  const text = given === '-' ? await stdinText() : existsSync(given) ? readFileSync(given, 'utf8') : given
  const found = text.split(/\s+/).findLast((word) => word.startsWith('muster-anchor.'))
  if (!found)
    throw new InputError(
      `--anchor ${given} is neither an anchor nor a file that holds one.`,
      'muster journal anchor > kept.txt',
    )
  return found
}
