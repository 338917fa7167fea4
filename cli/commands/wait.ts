import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../command.ts'
import { webAddress } from '../contexts/session.ts'
import { durationMs } from '../flags.ts'
import { shellWord } from '../output/shell-word.ts'
import { onQuestionFlag, Unattended } from '../runs/unattended.ts'
import { type Waited, waitForRun } from '../runs/wait.ts'
import { type WaitResult, waitView } from '../views/waited.ts'

const codes = { COMPLETED: 0, FAILED: 1, CANCELLED: 2, TIMEOUT: 3, NEEDS_HUMAN: 5, RUNNING: 3 } as const

export default class Wait extends ApiCommand<typeof Wait> {
  static override summary = 'Wait until a run ends or needs a person'
  static override description =
    'Meant for scripts. The exit code tells how the run ended: 0 completed, 1 failed, 2 cancelled, 3 timed out ' +
    '(the run or --timeout), 5 it waits for a person; then the inbox item is printed, and the run goes on. As ' +
    'everywhere, 2 can also mean a bad command line and 3 an unknown run; these write "Error:" or, with --json, ' +
    'a problem to standard error, and nothing to standard output.\n\nWith --on-question deny whatever the run asks ' +
    'people is denied in your name, as far as you may decide it, and the waiting goes on.'
  static override result = {
    members: ['run_id', 'status', 'exit_code', 'error', 'inbox_id', 'title', 'timed_out', 'url', 'command', 'denied'],
  }
  static override examples = [
    '$ <%= config.bin %> wait RUN --timeout 10m',
    '$ <%= config.bin %> wait RUN --json=status,inbox_id',
    '$ <%= config.bin %> wait RUN --until-decided',
    '$ <%= config.bin %> wait RUN --on-question deny',
  ]
  static override next = { not_found: 'muster runs list' }
  static override args = { run: Args.string({ required: true, description: 'id of the run' }) }
  static override flags = {
    timeout: Flags.string({ helpValue: 'TIME', description: 'maximum time to wait, such as 30s or 10m' }),
    'until-decided': Flags.boolean({ description: 'keep waiting while people decide', exclusive: ['on-question'] }),
    ...onQuestionFlag,
  }

  private unattended: Unattended | undefined

  async run(): Promise<void> {
    if (this.flags['on-question'] === 'deny')
      this.unattended = new Unattended(this.api, (text) => this.out.note(text, 'yellow'))
    const timeout = durationMs(this.flags.timeout, '--timeout')
    const stop = new AbortController()
    const timer = timeout === undefined ? undefined : setTimeout(() => stop.abort(), timeout)
    const late = new Promise<null>((resolve) => stop.signal.addEventListener('abort', () => resolve(null)))
    try {
      const ended = waitForRun({
        api: this.api,
        connection: this.connection,
        runId: this.args.run,
        workspace: this.session.workspace,
        untilDecided: this.flags['until-decided'],
        unattended: this.unattended,
        signal: stop.signal,
        onState: (lost) =>
          this.out.note(lost ? 'The connection is lost; trying again.' : 'The connection is back.', 'yellow'),
      })
      ended.catch(() => undefined)
      await this.tell(await Promise.race([ended, late]))
    } finally {
      clearTimeout(timer)
      stop.abort()
    }
  }

  private async tell(found: Waited | null): Promise<void> {
    const { inbox_id = null } = found ?? {}
    const result: WaitResult = {
      ...(found ?? {
        run_id: this.args.run,
        status: 'RUNNING',
        exit_code: null,
        error: null,
        inbox_id: null,
        title: null,
      }),
      ...(this.unattended && { denied: this.unattended.denied }),
      timed_out: found === null || found.status === 'TIMEOUT',
      url: inbox_id && `${this.address}/api/v1/inbox/${encodeURIComponent(inbox_id)}`,
      command: inbox_id && `muster inbox show ${shellWord(inbox_id)}`,
    }
    this.finish(codes[result.status])
    await this.out.show(result, waitView)
    if (!found) this.out.note(`The run was not over after ${this.flags.timeout}. It goes on.`, 'yellow')
    if (inbox_id) this.out.note(`The run waits for a person. Next: muster inbox show ${shellWord(inbox_id)}`, 'yellow')
  }

  /** Where the server is for browsers and other programs. */
  private get address(): string {
    return webAddress(this.session.target).key.replace(/\/$/, '')
  }
}
