import { Flags } from '@oclif/core'
import { ApiCommand } from '../command.ts'
import { explain } from '../failure.ts'
import { durationMs } from '../flags.ts'
import { whereIAm } from '../inbox/here.ts'
import { listFlags, listInbox } from '../inbox/list.ts'

const signals = { SIGTERM: 143, SIGHUP: 129 } as const

export default class Inbox extends ApiCommand<typeof Inbox> {
  static override summary = 'Review your inbox and decide its items'
  static override description =
    'At a terminal it shows a list with the selected item below it. One key approves, denies, answers or ' +
    'resolves; a decision is sent after a few seconds, during which u undoes it. ? lists the keys. Elsewhere, ' +
    'and with --json and similar flags, it is `muster inbox list`.'
  static override result = { of: ['inbox.list'] }
  static override examples = [
    '$ <%= config.bin %> inbox',
    '$ <%= config.bin %> inbox --undo 10s',
    '$ <%= config.bin %> inbox --kind escalation --json=id,title',
  ]
  static override flags = {
    ...listFlags,
    undo: Flags.string({ default: '5s', helpValue: 'TIME', description: 'how long a decision can be undone' }),
  }

  async run(): Promise<void> {
    const undo = durationMs(this.flags.undo, '--undo') ?? 0
    const { limit, offset, kind, state } = this.flags
    if (!this.atTerminal || limit !== undefined || offset !== undefined)
      return listInbox(this.api, this.out, this.flags)
    const { workspaceId, slug } = await whereIAm(this.api, this.session.workspace)
    const { InboxScreen } = await import('../inbox/screen.ts')
    const leave = new AbortController()
    for (const [signal, code] of Object.entries(signals)) process.once(signal, () => leave.abort(code))
    const screen = new InboxScreen({
      api: this.api,
      connection: this.connection,
      workspace: { id: workspaceId, slug },
      query: { state: state ?? 'active', ...(kind && { kind }) },
      undo,
      input: process.stdin,
      output: process.stdout,
      explain: (error) =>
        explain(error, {
          command: 'inbox',
          known: this.registry,
          local: this.session.serverOrigin === 'default',
          hasToken: Boolean(this.session.token),
        }).what,
    })
    const { code, sent, unsent } = await screen.run(leave.signal)
    if (sent) this.out.note(`${sent} ${sent === 1 ? 'decision' : 'decisions'} sent.`, 'dim')
    if (unsent) this.out.note(`${unsent} ${unsent === 1 ? 'decision was' : 'decisions were'} not sent.`, 'yellow')
    this.finish(code)
  }
}
