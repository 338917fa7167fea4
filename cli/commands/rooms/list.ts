import { Flags } from '@oclif/core'
import { roomKinds } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { given, windowed, windowFlags } from '../../flags.ts'
import { roomView } from '../../views/rooms.ts'

export default class RoomsList extends ApiCommand<typeof RoomsList> {
  static override summary = 'List your rooms, most recently active first'
  static override examples = [
    '$ <%= config.bin %> rooms',
    '$ <%= config.bin %> rooms list --kind channel',
    "$ <%= config.bin %> rooms list --jq '.[] | select(.unread_count > 0).title'",
  ]
  static override flags = {
    kind: Flags.option({ options: roomKinds, description: 'only groups, direct rooms among them, or only channels' })(),
    ...windowFlags,
  }

  async run(): Promise<void> {
    const { kind } = this.flags
    const rows = await windowed(
      this.flags,
      (window) => this.api.rooms.list({ query: { ...given<{ kind?: typeof kind }>({ kind }), ...window } as never }),
      200,
    )
    await this.out.list(rows, roomView)
  }
}
