import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { roomView } from '../../views/rooms.ts'

export default class RoomsShow extends ApiCommand<typeof RoomsShow> {
  static override summary = 'Show a room and its members'
  static override examples = [
    '$ <%= config.bin %> rooms show ROOM',
    "$ <%= config.bin %> rooms show ROOM --jq '.members[].full_name'",
  ]
  static override args = { room: Args.string({ required: true, description: 'title or id of the room' }) }

  async run(): Promise<void> {
    await this.out.show(await this.api.rooms.show({ conversationId: this.args.room }), roomView)
  }
}
