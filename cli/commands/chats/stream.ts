import { Args, Flags } from '@oclif/core'
import { locate } from '#client'
import { lines } from '#client/lines'
import type { RunFrame, StreamFrame } from '#contract/frames'
import { ApiCommand } from '../../command.ts'
import { exits } from '../../failure.ts'
import { durationMs } from '../../flags.ts'
import { cleanLine } from '../../output/clean.ts'

type Frame = RunFrame | StreamFrame

export default class ChatsStream extends ApiCommand<typeof ChatsStream> {
  static override summary = 'Stream what happens in a chat'
  static override description = 'Ends with the run, or continues with --follow. Exits with 1 if the run failed.'
  static override result = { any: true as const }
  static override examples = [
    '$ <%= config.bin %> chats stream CHAT',
    '$ <%= config.bin %> chats stream CHAT --follow -o ndjson',
  ]
  static override args = { chat: Args.string({ required: true, description: 'id of the chat' }) }
  static override flags = {
    follow: Flags.boolean({ description: 'continue with the next runs' }),
    'last-seq': Flags.integer({ min: 0, helpValue: 'N', description: 'start after this sequence number' }),
    idle: Flags.string({ helpValue: 'DURATION', description: 'end after this time without a run (default 5m)' }),
  }

  async run(): Promise<void> {
    const { follow, idle, 'last-seq': last } = this.flags
    const patience = durationMs(idle, '--idle')
    const query = {
      follow: follow || undefined,
      last_seq: last,
      idle: patience === undefined ? undefined : Math.round(patience / 1000),
    }
    for await (const frame of lines<Frame>(
      this.connection,
      locate('chats.stream', { chatId: this.args.chat, query }),
    )) {
      if (frame.type === 'error') this.finish(exits.other)
      if (frame.type !== 'stream.heartbeat') await this.out.item(frame, this.lineOf(frame))
    }
  }

  private lineOf(frame: Frame): string {
    const { type, seq, content, reason } = frame as { type: string; seq?: number; content?: string; reason?: string }
    const text = cleanLine(content ?? reason ?? '')
    return (
      `${this.out.paint('dim', cleanLine(String(seq ?? '')).padStart(5))}  ` +
      `${this.out.paint(type === 'error' ? 'red' : 'cyan', cleanLine(type))}${text && `  ${text}`}`
    )
  }
}
