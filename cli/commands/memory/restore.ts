import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { memoryPath, pathHelp } from '../../memory/path.ts'
import { writtenView } from '../../views/memory.ts'

export default class MemoryRestore extends ApiCommand<typeof MemoryRestore> {
  static override summary = 'Make an earlier version of a memory file the newest one'
  static override description = 'Nothing is lost: what stands there now stays as a version.'
  static override result = { of: ['memory.restore'] }
  static override examples = ['$ <%= config.bin %> memory restore ada 4f1c9a7be2d0']
  static override next = { not_found: 'muster memory versions PATH' }
  static override args = {
    path: Args.string({ required: true, description: pathHelp }),
    sha: Args.string({ required: true, description: 'hash of the version, or how it begins' }),
  }

  static override flags = {
    to: Flags.string({ helpValue: 'PATH', description: 'another file of the same owner, where it is put instead' }),
  }

  async run(): Promise<void> {
    const { sha } = this.args
    const { to } = this.flags
    const reply = await this.api.memory.restore({
      sha,
      body: given({ path: memoryPath(this.args.path), canonical_path: to && memoryPath(to) }),
    })
    await this.out.done(`${reply.path} is what it was at ${sha.slice(0, 12)}.`, reply, writtenView)
  }
}
