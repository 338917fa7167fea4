import { type Command, Flags } from '@oclif/core'
import type { HostAsk, HostReply, HostVerb } from '#contract/host'
import { ApiCommand } from '../command.ts'
import { InputError } from '../input.ts'
import { askHost } from './host.ts'

/** Flags of what works on this machine's data folder. */
export const hostFlags = {
  config: Flags.string({ helpValue: 'FILE', description: 'configuration file of the daemon' }),
}

const mostRows = 100_000

/** How many rows, when a server has many. */
export const hostLimit = {
  limit: Flags.integer({ min: 1, max: mostRows, helpValue: 'N', description: 'maximum number of rows (default 100)' }),
  all: Flags.boolean({ description: 'all rows', exclusive: ['limit'] }),
}

/** How many rows the flags ask for. */
export const rowsAsked = ({ limit, all }: { limit?: number | undefined; all?: boolean | undefined }) =>
  all ? mostRows : limit

/** A command that works on the data folder of this machine while no daemon does, as its administrator. */
export abstract class HostCommand<T extends typeof Command> extends ApiCommand<T> {
  static override next: Readonly<Record<string, string>> = { not_found: 'muster admin list-users' }

  override async init(): Promise<void> {
    await super.init()
    const { server, context } = this.flags as { server?: string; context?: string }
    if (server ?? context)
      throw new InputError(
        'This works on the data of this machine: it takes no --server and no --context.',
        'run it on the machine of the server',
      )
  }

  protected ask<V extends HostVerb>(verb: V, question: Partial<HostAsk<V>>): Promise<HostReply<V>> {
    return this.progress('Opening the data', askHost(verb, question, (this.flags as { config?: string }).config))
  }

  /** Says so when there is more than was shown. */
  protected more(shown: number, total: number): void {
    if (shown < total) this.out.note(`${shown} of ${total}; --all shows every one.`, 'dim')
  }
}
