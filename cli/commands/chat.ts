import { Args, Flags } from '@oclif/core'
import { agentGiven } from '../chat/choose-agent.ts'
import type { Calls } from '../chat/session.ts'
import { ApiCommand } from '../command.ts'
import { explain } from '../failure.ts'
import { durationMs } from '../flags.ts'
import { InputError } from '../input.ts'

const signals = { SIGTERM: 143, SIGHUP: 129 } as const

export default class Chat extends ApiCommand<typeof Chat> {
  static override summary = 'Chat with an agent'
  static override description =
    'Continues your last chat with the agent on this machine. Enter sends; Ctrl-C cancels what the agent is ' +
    'doing, a second Ctrl-C leaves; /help lists all keys and commands. A run continues after you ' +
    'leave.\n\nScripts use `muster ask`.'
  static override result = {}
  static override examples = [
    '$ <%= config.bin %> chat',
    '$ <%= config.bin %> chat ada',
    '$ <%= config.bin %> chat ada --new',
    '$ <%= config.bin %> chat ada --chat CHAT',
  ]
  static override next = { not_found: 'muster chats list AGENT, or --new' }
  static override args = {
    agent: Args.string({ description: 'slug or id of the agent; chosen from a list when left out' }),
  }
  static override flags = {
    chat: Flags.string({ helpValue: 'ID', description: 'continue this chat', exclusive: ['new'] }),
    new: Flags.boolean({ description: 'start a new chat' }),
    thinking: Flags.boolean({ description: "show the agent's reasoning" }),
    undo: Flags.string({ default: '5s', helpValue: 'TIME', description: 'how long a decision can be undone' }),
    'no-bell': Flags.boolean({ description: 'do not ring the terminal bell' }),
  }

  async run(): Promise<void> {
    const { stdin, stdout } = process
    const instead = `muster ask ${this.args.agent ?? 'AGENT'} "..."`
    if (!stdin.isTTY || !stdout.isTTY) throw new InputError('A chat needs a terminal at both ends.', instead)
    if (process.env['TERM'] === 'dumb')
      throw new InputError('This terminal cannot move its cursor (TERM is "dumb").', instead)
    const id = await agentGiven(this.api, this.args.agent, 'chat')
    const agent = await this.api.agents.show({ agentId: id })
    const { memoryFile, openMemory } = await import('../chat/memory.ts')
    const memory = openMemory(memoryFile(this.session.target.key, id))
    const chatId = this.flags.new ? null : (this.flags.chat ?? (await this.known(id, memory.chat)))
    if (chatId) memory.enter(chatId)
    const { ChatSession } = await import('../chat/session.ts')
    const session = new ChatSession({
      api: this.api,
      connection: this.connection,
      agent: { id, slug: agent.slug },
      header: [
        [`Chat with ${agent.name}`, agent.role_title, agent.crew && `crew ${agent.crew.slug}`, agent.llm_model]
          .filter(Boolean)
          .join(' · '),
        'Enter sends · Ctrl-C cancels a turn · Ctrl-D leaves · /help',
      ],
      chatId,
      memory,
      thinking: this.flags.thinking,
      input: stdin,
      output: stdout,
      undo: durationMs(this.flags.undo, '--undo') ?? 0,
      calls: (signal, on) => this.listen(signal, on, id),
      explain: (error) =>
        explain(error, {
          command: `chat ${agent.slug}`,
          shape: this.ctor,
          known: this.registry,
          local: this.session.serverOrigin === 'default',
          hasToken: Boolean(this.session.token),
        }),
    })
    this.finish(await session.run(this.leaving()))
  }

  /** Rings and says so when something new in the inbox needs the user; what the agent itself asks is shown anyway. */
  private async listen(signal: AbortSignal, { tell, openChat, changed }: Calls, agentId: string): Promise<void> {
    const [{ alerts, isAlert, noticeOf, ring }, { whereIAm }, { isOfAgent }] = await Promise.all([
      import('../inbox/alerts.ts'),
      import('../inbox/here.ts'),
      import('../chat/questions.ts'),
    ])
    const here = await whereIAm(this.api, this.session.workspace)
    for await (const item of alerts(this.api, this.connection, { here, signal, changed })) {
      if (this.flags['no-bell'] || !isAlert(here, item, openChat())) continue
      if (!isOfAgent(item, agentId)) tell(`! ${noticeOf(item)} · muster inbox`)
      ring(process.stdout, item)
    }
  }

  /** The chat of last time, when it is still there. */
  private async known(agent: string, chat: string | null): Promise<string | null> {
    if (!chat) return null
    const chats = await this.api.chats.list({ agentId: agent, query: {} })
    return chats.some(({ id }) => id === chat) ? chat : null
  }

  private leaving(): AbortSignal {
    const leave = new AbortController()
    for (const [signal, code] of Object.entries(signals)) process.once(signal, () => leave.abort(code))
    return leave.signal
  }
}
