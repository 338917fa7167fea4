import { existsSync, readFileSync } from 'node:fs'
import { Flags } from '@oclif/core'
import { locate } from '#client'
import { lines } from '#client/lines'
import type { Verdict, VerificationLine } from '#contract/journal'
import { ApiCommand } from '../../command.ts'
import { exits } from '../../failure.ts'
import { given } from '../../flags.ts'
import { InputError, stdinText } from '../../input.ts'
import { verdictView } from '../../views/journal-proof.ts'

export default class JournalVerify extends ApiCommand<typeof JournalVerify> {
  static override summary = 'Verify that nobody altered the journal'
  static override description =
    'Checks every entry against its predecessor, the filter columns against the entries, and the whole against ' +
    'the seals that the daemon keeps beside its database. Reports what these checks prove and what they cannot. ' +
    'Exits with 1 if a check fails. It can be interrupted, also by a restart of the daemon, and resumed.'
  static override examples = [
    '$ <%= config.bin %> journal verify',
    '$ <%= config.bin %> journal verify --anchor kept.txt',
    '$ <%= config.bin %> journal verify --resume',
    '$ <%= config.bin %> journal verify --json=valid,not_proven,broken',
  ]
  static override flags = {
    anchor: Flags.string({
      helpValue: 'FILE|TEXT|-',
      description: 'verify against an anchor that `muster journal anchor` printed',
    }),
    resume: Flags.boolean({ description: 'continue the last check that was interrupted' }),
  }

  async run(): Promise<void> {
    const anchor = this.flags.anchor === undefined ? undefined : await readAnchor(this.flags.anchor)
    const query = given<{ anchor?: string; resume?: boolean }>({ anchor, resume: this.flags.resume || undefined })
    const verdict = await this.progress('Checking the journal', (say) => this.follow(query, say))
    await this.out.show(verdict, verdictView)
    if (!verdict.valid) this.finish(exits.other)
  }

  private async follow(query: object, say: (text: string) => void): Promise<Verdict> {
    let passed = 0
    for await (const line of lines<VerificationLine>(this.connection, locate('journal.verification', { query }))) {
      if (line.type === 'verdict') return line.verdict
      if (line.type === 'progress') say(`Checking the journal: ${line.entries} of ${line.of} entries`)
      passed = line.entries ?? passed
      if (line.type === 'interrupted') break
    }
    throw new InputError(
      `The check was interrupted after ${passed} entries; the server keeps how far it came.`,
      'muster journal verify --resume',
    )
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
