import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { openingFlags, roomGiven } from '../../rooms/opening.ts'
import { roomView } from '../../views/rooms.ts'

export default class RoomsCreate extends ApiCommand<typeof RoomsCreate> {
  static override summary = 'Open a group of people, or a channel with an agent'
  static override description =
    'With --agent it is a channel: the agent reads along and answers when somebody mentions it as @SLUG. A direct ' +
    'room with one person is opened by `muster dm`.'
  static override examples = [
    '$ <%= config.bin %> rooms create "Release 2" --member grace@example.com --member alan@example.com',
    '$ <%= config.bin %> rooms create "Build" --agent ada --member grace@example.com',
  ]
  static override args = { title: Args.string({ required: true, description: 'title of the room' }) }
  static override flags = openingFlags

  async run(): Promise<void> {
    const room = await this.api.rooms.create({
      body: await roomGiven(this.api, this.session, this.args.title, this.flags),
    })
    await this.out.done(`Opened room ${room.id}.`, room, roomView)
  }
}
