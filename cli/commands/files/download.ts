import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { basename } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { locate } from '#client'
import { ApiCommand } from '../../command.ts'
import { agentId } from '../../lookup.ts'
import { receiveNew } from '../../receive.ts'

export default class FilesDownload extends ApiCommand<typeof FilesDownload> {
  static override summary = "Download a file from an agent's output folder"
  static override description =
    'Writes a file of the same name here, another one with --to, or standard output with --to -.'
  static override hiddenAliases = ['agents:download']
  static override examples = [
    '$ <%= config.bin %> files download ada report.pdf',
    '$ <%= config.bin %> files download ada data/out.json --to - | jq .',
  ]
  static override next = { not_found: 'muster files list AGENT' }
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    path: Args.string({ required: true, description: 'path of the file, as listed by `muster files list`' }),
  }
  static override flags = {
    to: Flags.string({ helpValue: 'FILE', description: 'destination file, or - for standard output' }),
    force: Flags.boolean({ description: 'overwrite an existing file' }),
  }

  async run(): Promise<void> {
    const { agent, path } = this.args
    const to = this.flags.to ?? basename(path)
    const { method, path: place } = locate('files.download', {
      agentId: await agentId(this.api, agent),
      query: { path },
    })
    const file = async () => (await this.connection.stream(method, place, { headers: { accept: '*/*' } })).body
    if (to === '-') return this.print(await file())
    await receiveNew(to, file, this.flags.force)
    await this.out.done(`Wrote ${to}.`)
  }

  private async print(body: IncomingMessage): Promise<void> {
    if (this.out.terminal) body.setEncoding('utf8')
    for await (const chunk of body) {
      if (this.out.terminal) this.out.text(chunk as string)
      else if (!process.stdout.write(chunk as Buffer)) await once(process.stdout, 'drain')
    }
  }
}
