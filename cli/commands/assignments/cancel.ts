import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { status as statusCell } from '../../output/cell.ts'

export default class AssignmentsCancel extends ApiCommand<typeof AssignmentsCancel> {
  static override summary = 'End what an agent was given to do by another'
  static override description =
    'Ends what it delegated in turn, too. The agent that gave the work is told. For a MANAGER and above.'
  static override examples = ['$ <%= config.bin %> assignments cancel ASSIGNMENT']
  static override next = {
    assignment_ended: 'muster assignments show ASSIGNMENT',
    not_found: 'muster assignments list',
  }
  static override args = { assignment: Args.string({ required: true, description: 'id of the assignment' }) }

  async run(): Promise<void> {
    const ended = await this.api.assignments.cancel({ delegationId: this.args.assignment })
    const sentence =
      ended.status === 'RUNNING' ? `Assignment ${ended.id} is being ended.` : `Assignment ${ended.id} is cancelled.`
    await this.out.done(sentence, ended, {
      name: ({ id }) => id,
      columns: { ID: ({ id }) => id, STATE: ({ status }) => statusCell(status) },
    })
  }
}
