import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'

export default class RoomsRead extends ApiCommand<typeof RoomsRead> {
  static override summary = 'Mark a room as read'
  static override examples = ['$ <%= config.bin %> rooms read ROOM', '$ <%= config.bin %> rooms read ROOM --seq 17']
  static override args = { room: Args.string({ required: true, description: 'title or id of the room' }) }
  static override flags = {
    seq: Flags.integer({ min: 0, helpValue: 'N', description: 'up to this message (default: the last one)' }),
  }

  async run(): Promise<void> {
    const read = await this.api.rooms.read({ conversationId: this.args.room, body: given({ seq: this.flags.seq }) })
    await this.out.done(`Marked as read up to message ${read.last_read_seq}.`, read, {
      name: ({ conversation_id }) => conversation_id,
      columns: { ROOM: ({ conversation_id }) => conversation_id, SEQ: (it) => it.last_read_seq },
    })
  }
}
