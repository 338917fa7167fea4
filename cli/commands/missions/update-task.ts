import { Args, Flags } from '@oclif/core'
import { taskFlags, textOf } from '../../bodies/missions.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { agentId, missionAt, taskId } from '../../lookup.ts'
import { taskView } from '../../views/missions.ts'

export default class MissionsUpdateTask extends ApiCommand<typeof MissionsUpdateTask> {
  static override summary = 'Change a task of a mission, try it again or leave it out'
  static override description = 'A mission that failed goes on with a task that is tried again or left out.'
  static override next = { task_refused: 'muster missions show MISSION', task_cycle: 'muster missions show MISSION' }
  static override examples = [
    '$ <%= config.bin %> missions update-task Relaunch 2 --agent cleo',
    '$ <%= config.bin %> missions update-task Relaunch 2 --retry',
    '$ <%= config.bin %> missions update-task Relaunch 3 --skip',
  ]
  static override args = {
    mission: Args.string({ required: true, description: 'title or id of the mission' }),
    task: Args.string({ required: true, description: 'number, title or id of the task' }),
  }
  static override flags = {
    title: Flags.string({ description: 'new title' }),
    ...taskFlags,
    retry: Flags.boolean({ description: 'try it again', exclusive: ['skip'] }),
    skip: Flags.boolean({ description: 'leave it out: what depends on it goes on without' }),
  }

  async run(): Promise<void> {
    const { title, description, agent, after, attempts, approval, retry, skip } = this.flags
    const at = await missionAt(this.api, this.args.mission)
    const { tasks = [] } = await this.api.missions.show(at)
    const task = await this.api.missions.updateTask({
      ...at,
      taskId: await taskId(tasks, this.args.task),
      body: given({
        title,
        description: await textOf(description),
        assigned_agent_id: agent && (await agentId(this.api, agent)),
        depends_on: after && (await Promise.all(after.filter(Boolean).map((one) => taskId(tasks, one)))),
        max_iterations: attempts,
        approval_required: approval,
        status: retry ? 'PENDING' : skip ? 'SKIPPED' : undefined,
      }),
    })
    await this.out.done(`Changed task ${task.task_order}.`, task, taskView)
  }
}
