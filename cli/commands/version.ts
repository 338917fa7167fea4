import { ApiCommand } from '../command.ts'

export default class Version extends ApiCommand<typeof Version> {
  static override summary = 'Print the versions of this command and of the server'
  static override result = { members: ['client', 'server', 'node'] }
  static override examples = ['$ <%= config.bin %> version', '$ <%= config.bin %> version --json']

  async run(): Promise<void> {
    const server = await this.api.system.alive({ query: {} }).then(
      ({ version }) => version,
      () => null,
    )
    await this.out.show(
      { client: this.config.version, server, node: process.version },
      {
        name: ({ client }) => client,
        columns: {
          Client: (it) => it.client,
          Server: (it) => it.server ?? { text: 'not reachable', value: null, tone: 'yellow' },
          Node: (it) => it.node,
        },
      },
    )
  }
}
