import { resolve } from 'node:path'
import type { Command } from '@oclif/core'
import type { BackupAsk, BackupReply, BackupVerb } from '#contract/backup-host'
import { ApiCommand } from '../command.ts'
import { InputError } from '../input.ts'
import { askBackup } from '../local/backup-host.ts'

/** A command that reads bundles of this machine: it takes no server, and needs no daemon. */
export abstract class BackupCommand<T extends typeof Command> extends ApiCommand<T> {
  /** Refuses flags that name another server. */
  protected requireHere(): void {
    const { server, context } = this.flags as { server?: string; context?: string }
    if (server ?? context)
      throw new InputError(
        'This works on files of this machine: it takes no --server and no --context.',
        'run it on the machine of the server',
      )
  }

  protected ask<V extends BackupVerb>(verb: V, question: BackupAsk<V>, doing: string): Promise<BackupReply<V>> {
    return this.progress(doing, (say) => askBackup(verb, question, (this.flags as { config?: string }).config, say))
  }

  /** The path as the daemon's program sees it, wherever it runs. */
  protected pathOf(file: string): string {
    return resolve(file)
  }
}
