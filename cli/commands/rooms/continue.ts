import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { openingFlags, roomGiven } from '../../rooms/opening.ts'
import { roomView } from '../../views/rooms.ts'

export default class RoomsContinue extends ApiCommand<typeof RoomsContinue> {
  static override summary = 'Open another room beside a direct room, a group or a chat of several people'
  static override description =
    'The new room begins empty: what was said before stays where it was. A direct room becomes a group of both ' +
    'people and those that you name; with --agent it becomes a channel of yourself and those that you name.'
  static override examples = [
    '$ <%= config.bin %> rooms continue ROOM "Release 2" --member grace@example.com',
    '$ <%= config.bin %> rooms continue ROOM "Build" --agent ada',
  ]
  static override args = {
    room: Args.string({ required: true, description: 'title or id of the room, or id of a chat' }),
    title: Args.string({ required: true, description: 'title of the new room' }),
  }
  static override flags = openingFlags

  async run(): Promise<void> {
    const room = await this.api.rooms.continue({
      conversationId: this.args.room,
      body: await roomGiven(this.api, this.session, this.args.title, this.flags),
    })
    await this.out.done(`Opened room ${room.id}.`, room, roomView)
  }
}
