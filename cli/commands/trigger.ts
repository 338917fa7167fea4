import { randomBytes } from 'node:crypto'
import { Args, Flags } from '@oclif/core'
import type { Reply } from '#contract/define'
import type { journal } from '#contract/journal'
import { ApiCommand } from '../command.ts'
import { exits } from '../failure.ts'
import { InputError } from '../input.ts'
import { type Sample, sampleOf, setAt } from '../journal/sample.ts'
import { NotFound, nearest } from '../lookup/find.ts'
import { deliver, deliveryMembers, tellDelivery } from '../webhooks/delivery.ts'
import { targetFlags, targetOf } from '../webhooks/target.ts'

type Fact = Reply<typeof journal.types>['types'][number]

export default class Trigger extends ApiCommand<typeof Trigger> {
  static override summary = 'Send a sample of a journal entry to a program'
  static override description =
    'Makes an entry of this type from the schema that `muster journal types` shows, and posts it as `muster listen` ' +
    'does; without --forward-to it is printed. It says of itself that it is a sample ("sample": true, ' +
    'X-Svc-Sample: true). Nothing is written to the journal, which only holds what really happened.'
  static override result = { of: ['journal.show'], members: ['sample', ...deliveryMembers] }
  static override examples = [
    '$ <%= config.bin %> trigger run.failed --forward-to http://127.0.0.1:3000/hook',
    '$ <%= config.bin %> trigger run.failed --set payload.exit_code=137 --set severity=warn',
    '$ <%= config.bin %> trigger crew.created --forward-to http://127.0.0.1:3000/hook --secret-file secret.txt',
  ]
  static override args = {
    type: Args.string({ required: true, description: 'entry type, or name of a fact, such as run.failed' }),
  }
  static override flags = {
    'forward-to': Flags.string({ helpValue: 'URL', description: 'address that the sample goes to' }),
    ...targetFlags,
    set: Flags.string({
      multiple: true,
      helpValue: 'PATH=VALUE',
      description: 'a member of the sample, such as payload.name=Web; JSON where it is no text',
    }),
  }

  async run(): Promise<void> {
    const sample = this.sample(factOf(this.args.type, (await this.api.journal.types()).types))
    const { 'forward-to': address, 'secret-file': secretFile } = this.flags
    if (address === undefined) return this.out.value(sample)
    const delivery = await deliver(sample, await targetOf(address, secretFile, this.out))
    await tellDelivery(this.out, delivery)
    if (!delivery.ok) this.finish(exits.other)
  }

  private sample(fact: Fact): Sample {
    if (!fact.recorded) this.out.note(`${fact.entry_type} is not recorded yet, so its payload is empty.`, 'yellow')
    const sample = sampleOf(fact, `j_${randomBytes(8).toString('hex')}`, new Date())
    for (const assignment of this.flags.set ?? []) {
      const at = assignment.indexOf('=')
      if (at < 1) throw new InputError(`--set takes PATH=VALUE, not "${assignment}".`)
      setAt(sample, assignment.slice(0, at), assignment.slice(at + 1))
    }
    return sample
  }
}

/** The fact that is called so, or the only one that is stored under that type. */
function factOf(type: string, facts: readonly Fact[]): Fact {
  const stored = facts.filter(({ entry_type }) => entry_type === type)
  const found = facts.find(({ name }) => name === type) ?? (stored.length === 1 ? stored[0] : undefined)
  if (found) return found
  const names = (stored.length ? stored : facts).map(({ name }) => name)
  if (!stored.length) throw new NotFound('entry type', type, nearest(type, names), 'muster journal types')
  throw new InputError(`${type} is the type of several facts: ${names.join(', ')}.`, `muster trigger ${names[0]}`)
}
