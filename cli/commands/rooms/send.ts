import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { InputError, stdinText } from '../../input.ts'
import { clientIdFlag, clientIdOf } from '../../rooms/opening.ts'
import { roomMessageView } from '../../views/rooms.ts'

export default class RoomsSend extends ApiCommand<typeof RoomsSend> {
  static override summary = 'Send a message to a room'
  static override description = 'The agent of a channel answers in the room when the message mentions it as @SLUG.'
  static override examples = [
    '$ <%= config.bin %> rooms send ROOM "The build is green"',
    '$ <%= config.bin %> rooms send ROOM "@ada which test is slow?"',
    '$ <%= config.bin %> rooms send ROOM - < notes.md',
  ]
  static override args = {
    room: Args.string({ required: true, description: 'title or id of the room' }),
    text: Args.string({ required: true, description: 'message, or - to read it from standard input' }),
  }
  static override flags = clientIdFlag

  async run(): Promise<void> {
    const content = this.args.text === '-' ? await stdinText() : this.args.text
    if (!content.trim()) throw new InputError('The message is empty.')
    const said = await this.api.rooms.send({
      conversationId: this.args.room,
      body: { content, client_id: clientIdOf(this.flags) },
    })
    await this.out.done(`Said it as message ${said.seq}.`, said, roomMessageView)
  }
}
