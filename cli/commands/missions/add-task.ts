import { Args } from '@oclif/core'
import { taskFlags, textOf } from '../../bodies/missions.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { agentId, missionAt, taskId } from '../../lookup.ts'
import { taskView } from '../../views/missions.ts'

export default class MissionsAddTask extends ApiCommand<typeof MissionsAddTask> {
  static override summary = 'Add a task to a mission'
  static override next = { task_cycle: 'muster missions show MISSION', mission_refused: 'muster missions show MISSION' }
  static override examples = [
    '$ <%= config.bin %> missions add-task Relaunch "Draw the logo" --agent ada',
    '$ <%= config.bin %> missions add-task Relaunch "Build the page" --agent bob --after 1 --approval',
  ]
  static override args = {
    mission: Args.string({ required: true, description: 'title or id of the mission' }),
    title: Args.string({ required: true, description: 'title of the task' }),
  }
  static override flags = taskFlags

  async run(): Promise<void> {
    const { description, agent, after, attempts, approval } = this.flags
    const at = await missionAt(this.api, this.args.mission)
    const { tasks = [] } = after ? await this.api.missions.show(at) : {}
    const task = await this.api.missions.addTask({
      ...at,
      body: given({
        title: this.args.title,
        description: await textOf(description),
        assigned_agent_id: agent && (await agentId(this.api, agent)),
        depends_on: after && (await Promise.all(after.filter(Boolean).map((one) => taskId(tasks, one)))),
        max_iterations: attempts,
        approval_required: approval,
      }),
    })
    await this.out.done(`Added task ${task.task_order}.`, task, taskView)
  }
}
