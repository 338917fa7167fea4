import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { bound, type Found, ownFile, placeBelow } from '../../agent-files/folders.ts'
import { fetchFile } from '../../agent-files/transfer.ts'
import { ApiCommand } from '../../command.ts'
import { InputError } from '../../input.ts'
import { agentId } from '../../lookup.ts'
import { type Transfer, transferView } from '../../views/files.ts'

export default class FilesPull extends ApiCommand<typeof FilesPull> {
  static override summary = "Copy an agent's output folder to this machine"
  static override description =
    'Makes the folder, by default one with the slug of the agent. A file of this machine that differs is kept, and ' +
    'the copy stops, unless --force is given. Links are skipped and counted. At most 10,000 files and 1 GiB.'
  static override result = { members: ['saved', 'unchanged', 'skipped'] }
  static override examples = [
    '$ <%= config.bin %> files pull ada',
    '$ <%= config.bin %> files pull ada reports --to reports --force',
  ]
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    folder: Args.string({ description: 'subfolder to copy' }),
  }
  static override flags = {
    to: Flags.string({ helpValue: 'FOLDER', description: 'folder of this machine' }),
    force: Flags.boolean({ description: 'replace files that differ' }),
  }

  async run(): Promise<void> {
    const { agent, folder = '' } = this.args
    const id = await agentId(this.api, agent)
    const { slug } = await this.api.agents.show({ agentId: id })
    const to = this.flags.to ?? slug
    const target = resolve(process.cwd(), to)
    const query = { ...(folder && { subdir: folder }), recursive: '1' }
    const files = (await this.api.files.list({ agentId: id, query })).filter(({ is_dir }) => !is_dir)
    bound(slug, files)
    mkdirSync(target, { recursive: true })
    const result: Transfer = { saved: 0, unchanged: 0, skipped: 0 }
    await this.progress(`Fetching ${files.length} files`, async (say) => {
      for (const [at, file] of files.entries()) {
        say(`Fetching ${at + 1} of ${files.length}: ${file.path}`)
        result[await this.fetch(id, file, target)]++
      }
    })
    await this.out.done(`Fetched ${files.length - result.skipped} files of ${slug} into ${to}.`, result, transferView)
  }

  private async fetch(id: string, { path }: Found, to: string): Promise<keyof Transfer> {
    const folder = (this.args.folder ?? '').replace(/^\.\//, '').replace(/\/+$/, '')
    const below = folder && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
    const place = placeBelow(to, below)
    const fetched = await fetchFile(this.connection, id, path)
    if (!fetched) return 'skipped'
    const own = ownFile(place)
    if (own?.equals(fetched.content)) return 'unchanged'
    if (own && !this.flags.force)
      throw new InputError(`${place} differs from the agent's file.`, 'repeat with --force, or --to another folder')
    writeFileSync(place, fetched.content)
    return 'saved'
  }
}
