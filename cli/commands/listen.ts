import { Flags } from '@oclif/core'
import type { Entry } from '#contract/entries'
import { ApiCommand } from '../command.ts'
import { exits } from '../failure.ts'
import { momentOf } from '../flags.ts'
import { filterFlags, filterQuery } from '../journal/filter.ts'
import { onwards, tellState } from '../journal/onwards.ts'
import { between } from '../journal/past.ts'
import { type Delivery, deliver, deliveryMembers, tellDelivery } from '../webhooks/delivery.ts'
import { targetFlags, targetOf } from '../webhooks/target.ts'

const { until: _until, since: _since, ...filters } = filterFlags
const signals = { SIGINT: exits.interrupted, SIGTERM: 143 } as const
/** Failures that are named at the end. */
const mostNamed = 10

export default class Listen extends ApiCommand<typeof Listen> {
  static override summary = 'Send journal entries to a program as they are written'
  static override description =
    'Follows the journal as `muster journal tail -f` does, and posts each entry to the address, one after the other, ' +
    'with the headers of a webhook: X-Svc-Signature, X-Svc-Event, X-Svc-Delivery, X-Svc-Timestamp. An entry that is ' +
    'not taken is tried three times; what failed is named at the end. Redirects are not followed. Ctrl-C ends it.'
  static override result = { members: deliveryMembers }
  static override examples = [
    '$ <%= config.bin %> listen --forward-to http://127.0.0.1:3000/hook',
    '$ <%= config.bin %> listen --forward-to http://127.0.0.1:3000/hook --type run.completed,run.failed',
    '$ <%= config.bin %> listen --forward-to https://ci.example.com/hook --crew web --since 1h',
    '$ <%= config.bin %> listen --forward-to http://127.0.0.1:3000/hook --secret-file secret.txt -o ndjson',
  ]
  static override flags = {
    'forward-to': Flags.string({ required: true, helpValue: 'URL', description: 'address that the entries go to' }),
    ...targetFlags,
    since: Flags.string({ helpValue: 'WHEN', description: 'start time, or how long ago, such as 2h (default: now)' }),
    ...filters,
  }

  private readonly failed: Delivery[] = []
  private count = 0

  async run(): Promise<void> {
    const { 'forward-to': address, 'secret-file': secretFile } = this.flags
    const target = await targetOf(address, secretFile, this.out)
    const query = await filterQuery(this.api, this.flags)
    const release = this.untilStopped()
    const { api, connection } = this
    const onReady = () => this.out.note(`Sending to ${target.url}. Ctrl-C ends it.`, 'dim')
    const onState = tellState(this.out)
    try {
      for await (const entry of onwards({ api, connection, query, past: this.past(query), onReady, onState }))
        await this.tell(await deliver(entry, target))
    } finally {
      release()
    }
  }

  private async *past(query: Record<string, string>): AsyncGenerator<Entry> {
    const since = momentOf(this.flags.since, '--since')
    if (since !== undefined) yield* between(this.api, query, Date.parse(since), Date.now())
  }

  private async tell(delivery: Delivery): Promise<void> {
    this.count++
    if (!delivery.ok) this.failed.push(delivery)
    await tellDelivery(this.out, delivery)
  }

  private untilStopped(): () => void {
    const handlers = Object.entries(signals).map(([signal, code]) => [signal, () => this.stop(code)] as const)
    for (const [signal, handler] of handlers) process.on(signal, handler)
    return () => {
      for (const [signal, handler] of handlers) process.off(signal, handler)
    }
  }

  private stop(code: number): never {
    const taken = this.count - this.failed.length
    this.out.note(`${taken} of ${this.count} ${this.count === 1 ? 'entry was' : 'entries were'} taken.`)
    for (const { entry_type, entry_id, status, error } of this.failed.slice(0, mostNamed))
      this.out.note(`Not taken: ${entry_type} ${entry_id} (${status ?? error})`, 'yellow')
    const more = this.failed.length - mostNamed
    if (more > 0) this.out.note(`and ${more} more`, 'yellow')
    process.exit(code)
  }
}
