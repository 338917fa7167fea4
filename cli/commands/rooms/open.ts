import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { shellWord } from '../../output/shell-word.ts'

export default class RoomsOpen extends ApiCommand<typeof RoomsOpen> {
  static override summary = 'Talk in a room at the terminal'
  static override description =
    'Shows the last messages and what is said from then on. Enter sends; /help lists all keys and commands. Scripts ' +
    'use `muster rooms send` and `muster rooms messages`.'
  static override result = {}
  static override examples = ['$ <%= config.bin %> rooms open ROOM', '$ <%= config.bin %> rooms open 1']
  static override args = { room: Args.string({ required: true, description: 'title or id of the room' }) }

  async run(): Promise<void> {
    const { room } = this.args
    const { enterRoom } = await import('../../rooms/enter.ts')
    const place = {
      api: this.api,
      connection: this.connection,
      instead: `muster rooms send ${shellWord(room)} "..."`,
      explain: (error: unknown) => this.explained(error),
    }
    this.finish(await enterRoom(place, () => this.api.rooms.show({ conversationId: room })))
  }
}
