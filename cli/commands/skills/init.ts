import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { InputError } from '../../input.ts'
import { writeSkill } from '../../skills/folder.ts'

const text = (name: string) => `---
name: ${name}
description: What this does. Use when WHAT SOMEBODY ASKS FOR.
license: MIT
---

# ${name}

1. First do this.
2. Then run \`scripts/example.sh\`.
`

const script = '#!/bin/sh\nset -eu\necho "hello from a script"\n'

export default class SkillsInit extends ApiCommand<typeof SkillsInit> {
  static override summary = 'Begin a skill in a new folder here'
  static override offline = true
  static override result = { members: ['folder'] }
  static override examples = ['$ <%= config.bin %> skills init pdf-forms']
  static override args = { name: Args.string({ required: true, description: 'name of the skill, and of its folder' }) }

  async run(): Promise<void> {
    const { name } = this.args
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name.length > 64)
      throw new InputError('The name of a skill has a to z, 0 to 9 and single dashes, at most 64 of them.')
    const file = {
      path: 'scripts/example.sh',
      executable: true,
      content_base64: Buffer.from(script).toString('base64'),
    }
    if (!this.dry) writeSkill(name, { content: text(name), files: [file] })
    await this.out.done(`Wrote ${name}/SKILL.md and ${name}/scripts/example.sh. Next: muster skills import ${name}`, {
      folder: name,
    })
  }
}
