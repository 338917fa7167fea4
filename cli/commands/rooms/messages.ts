import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { listFlags } from '../../flags.ts'
import { cleanLine } from '../../output/clean.ts'
import { messagesBefore } from '../../rooms/past.ts'
import { roomMessageView } from '../../views/rooms.ts'

const usual = 50

export default class RoomsMessages extends ApiCommand<typeof RoomsMessages> {
  static override summary = 'Show the messages of a room, oldest first'
  static override description = `Shows the last ${usual} messages unless told otherwise.`
  static override result = { of: ['rooms.send'] }
  static override examples = [
    '$ <%= config.bin %> rooms messages ROOM',
    "$ <%= config.bin %> rooms messages ROOM --all --jq '.[].content'",
    '$ <%= config.bin %> rooms messages ROOM --before 120',
  ]
  static override args = { room: Args.string({ required: true, description: 'title or id of the room' }) }
  static override flags = {
    before: Flags.integer({ min: 1, helpValue: 'N', description: 'only messages before this number' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { before, limit, all } = this.flags
    const wanted = all ? Number.POSITIVE_INFINITY : (limit ?? usual)
    const messages = await messagesBefore(this.api, this.args.room, { limit: wanted, before })
    if (this.out.wanted.format !== 'auto' || !this.out.terminal || !messages.length)
      return this.out.list(messages, roomMessageView)
    for (const { author_name, author_type, content, created_at } of messages) {
      this.out.write(this.out.paint(author_type === 'user' ? 'cyan' : 'green', cleanLine(author_name ?? 'Muster')))
      this.out.text(` ${created_at}\n${content}\n\n`)
    }
  }
}
