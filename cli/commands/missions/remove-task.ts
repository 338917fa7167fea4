import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { missionAt, taskId } from '../../lookup.ts'

export default class MissionsRemoveTask extends ApiCommand<typeof MissionsRemoveTask> {
  static override summary = 'Delete a task of a mission that is in PLANNING'
  static override next = { mission_refused: 'muster missions update-task MISSION TASK --skip' }
  static override examples = ['$ <%= config.bin %> missions remove-task Relaunch 2']
  static override args = {
    mission: Args.string({ required: true, description: 'title or id of the mission' }),
    task: Args.string({ required: true, description: 'number, title or id of the task' }),
  }
  static override flags = yesFlag

  async run(): Promise<void> {
    const at = await missionAt(this.api, this.args.mission)
    const { tasks = [] } = await this.api.missions.show(at)
    const id = await taskId(tasks, this.args.task)
    const { title } = tasks.find((task) => task.id === id)!
    await this.confirm(`Delete the task "${title}"?`)
    await this.api.missions.removeTask({ ...at, taskId: id })
    await this.out.done(`Deleted the task ${title}.`)
  }
}
