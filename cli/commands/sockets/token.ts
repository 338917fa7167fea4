import { ApiCommand } from '../../command.ts'

export default class SocketsToken extends ApiCommand<typeof SocketsToken> {
  static override summary = 'Get a token for the first frame of a WebSocket'
  static override examples = ['$ <%= config.bin %> sockets token']

  async run(): Promise<void> {
    const reply = await this.api.sockets.token()
    if (this.out.wanted.format === 'auto') this.out.text(`${reply.token}\n`)
    else await this.out.value(reply)
  }
}
