import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { assignmentView } from '../../views/assignments.ts'

export default class AssignmentsShow extends ApiCommand<typeof AssignmentsShow> {
  static override summary = 'Show what an agent was given to do by another, and the result'
  static override examples = [
    '$ <%= config.bin %> assignments show ASSIGNMENT',
    '$ <%= config.bin %> assignments show ASSIGNMENT --jq .result_summary',
  ]
  static override next = { not_found: 'muster assignments list' }
  static override args = { assignment: Args.string({ required: true, description: 'id of the assignment' }) }

  async run(): Promise<void> {
    const { assignment: delegationId } = this.args
    await this.out.show(await this.api.assignments.show({ delegationId }), assignmentView)
  }
}
