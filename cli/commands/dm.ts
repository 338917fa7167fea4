import { Args } from '@oclif/core'
import { ApiCommand } from '../command.ts'
import { workspaceInUse } from '../contexts/session.ts'
import { InputError, stdinText } from '../input.ts'
import { userId } from '../lookup.ts'
import { shellWord } from '../output/shell-word.ts'
import { directRoom } from '../rooms/direct.ts'
import { clientIdFlag, clientIdOf } from '../rooms/opening.ts'
import { roomMessageView } from '../views/rooms.ts'

export default class Dm extends ApiCommand<typeof Dm> {
  static override summary = 'Talk to one person of the workspace'
  static override description =
    'Opens your direct room with the person at the first time. Only the two of you read it. Without a message, at a ' +
    'terminal, the two of you talk there as in `muster chat`.'
  static override result = { of: ['rooms.send'] }
  static override examples = [
    '$ <%= config.bin %> dm grace@example.com',
    '$ <%= config.bin %> dm grace@example.com "Have you seen the build?"',
    '$ git diff | <%= config.bin %> dm grace@example.com',
  ]
  static override next = { not_found: 'muster members list' }
  static override args = {
    user: Args.string({ required: true, description: 'email or id of the person' }),
    text: Args.string({ description: 'message; - and nothing read standard input' }),
  }
  static override flags = clientIdFlag

  async run(): Promise<void> {
    if (this.args.text === undefined && process.stdin.isTTY) return this.talk()
    const { text = '-' } = this.args
    const content = text === '-' ? await stdinText() : text
    if (!content.trim()) throw new InputError('The message is empty.')
    const conversationId = (await this.room()).id
    const body = { content, client_id: clientIdOf(this.flags) }
    const said = await this.api.rooms.send({ conversationId, body })
    await this.out.done(`Said it to ${this.args.user}.`, said, roomMessageView)
  }

  private async room() {
    return directRoom(this.api, await userId(this.api, workspaceInUse(this.session), this.args.user))
  }

  private async talk(): Promise<void> {
    const { enterRoom } = await import('../rooms/enter.ts')
    const place = {
      api: this.api,
      connection: this.connection,
      instead: `muster dm ${shellWord(this.args.user)} "..."`,
      explain: (error: unknown) => this.explained(error),
    }
    this.finish(await enterRoom(place, () => this.room()))
  }
}
