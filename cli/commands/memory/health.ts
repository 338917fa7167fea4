import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { healthView } from '../../views/memory.ts'

export default class MemoryHealth extends ApiCommand<typeof MemoryHealth> {
  static override summary = 'Show how well memory is kept'
  static override description = 'Scores from 0 to 1, of the whole workspace unless a crew is named.'
  static override result = { of: ['memory.health'] }
  static override examples = ['$ <%= config.bin %> memory health', '$ <%= config.bin %> memory health web']
  static override args = { crew: Args.string({ description: 'slug or id of the crew' }) }

  async run(): Promise<void> {
    const { crew } = this.args
    const crew_id = crew === undefined ? undefined : await crewId(this.api, crew)
    const health = await this.api.memory.health({ query: given({ crew_id }) })
    await this.out.show(health, healthView)
  }
}
