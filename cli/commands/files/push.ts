import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { bound, largestFile, walk } from '../../agent-files/folders.ts'
import { sendFile } from '../../agent-files/transfer.ts'
import { ApiCommand } from '../../command.ts'
import { InputError } from '../../input.ts'
import { agentId } from '../../lookup.ts'
import { type Transfer, transferView } from '../../views/files.ts'

export default class FilesPush extends ApiCommand<typeof FilesPush> {
  static override summary = "Copy a folder of this machine into an agent's output folder"
  static override description =
    'Replaces files of the same name and removes none. Links are skipped and counted. At most 10,000 files and ' +
    '1 GiB, each of up to 32 MiB.'
  static override result = { members: ['saved', 'unchanged', 'skipped'] }
  static override examples = [
    '$ <%= config.bin %> files push ada site',
    '$ <%= config.bin %> files push ada data --to inputs/today',
  ]
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    from: Args.string({ required: true, description: 'folder of this machine' }),
  }
  static override flags = {
    to: Flags.string({ helpValue: 'FOLDER', default: '', description: "folder within the agent's" }),
  }

  async run(): Promise<void> {
    const { agent, from } = this.args
    const to = this.flags.to.replace(/\/+$/, '')
    const id = await agentId(this.api, agent)
    const { slug } = await this.api.agents.show({ agentId: id })
    if (!statSync(from, { throwIfNoEntry: false })?.isDirectory()) throw new InputError(`${from} is no folder.`)
    const { files, skipped } = walk(from)
    bound(from, files)
    const large = files.find(({ size }) => size > largestFile)
    if (large) throw new InputError(`${join(from, large.path)} is larger than 32 MiB; nothing was sent.`)
    const result: Transfer = { saved: 0, unchanged: 0, skipped: skipped.length }
    await this.progress(`Sending ${files.length} files`, async (say) => {
      for (const [at, { path }] of files.entries()) {
        say(`Sending ${at + 1} of ${files.length}: ${path}`)
        const content = readFileSync(join(from, path))
        const { status } = await sendFile(this.connection, id, to ? `${to}/${path}` : path, content, null)
        result[status]++
      }
    })
    await this.out.done(`Sent ${files.length} files to ${slug}.`, result, transferView)
  }
}
