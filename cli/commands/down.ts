import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { Flags } from '@oclif/core'
import { ApiCommand } from '../command.ts'
import { runtimeFile } from '../contexts/session.ts'
import { durationMs } from '../flags.ts'
import { InputError } from '../input.ts'
import { alive, holdsFolder, running, stop } from '../local/daemon.ts'
import { dataDir } from '../paths.ts'

export default class Down extends ApiCommand<typeof Down> {
  static override summary = 'Stop the daemon; crews and their runs continue'
  static override description =
    'The daemon stops accepting requests, saves its state and exits. Containers and runs continue: `muster up` ' +
    'finds them again.'
  static override result = {}
  static override examples = ['$ <%= config.bin %> down', '$ <%= config.bin %> down --timeout 60s']
  static override next = { failed: 'muster status' }
  static override flags = {
    timeout: Flags.string({ default: '30s', helpValue: 'DURATION', description: 'maximum time to wait' }),
  }

  async run(): Promise<void> {
    this.requireFolder()
    const { pid } = runtimeFile(join(dataDir(), 'musterd.json'))
    const answers = await running()
    if (pid === undefined || !alive(pid) || !(answers?.pid === pid || holdsFolder(pid))) {
      if (answers)
        throw new Error('The daemon answers, but left no note of its process here. Stop it where it was started')
      await this.out.done('No daemon is running here.')
      return
    }
    const timeout = durationMs(this.flags.timeout, '--timeout') ?? 30_000
    if (!(await this.progress('Stopping the daemon', stop(pid, { timeout }))))
      throw new Error(`The daemon (process ${pid}) is still draining after ${timeout / 1000} s`)
    await this.out.done('The daemon has stopped.')
  }

  /** In the folder of another user nothing could be seen, and nothing stopped. */
  private requireFolder(): void {
    const dir = dataDir()
    try {
      accessSync(dir, constants.R_OK | constants.X_OK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') return
      throw new InputError(`This user may not look into ${dir}.`, 'run it as the user whose daemon it is')
    }
  }
}
