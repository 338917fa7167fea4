import { Args, Flags } from '@oclif/core'
import { descriptionFlag, textOf } from '../../bodies/missions.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { InputError } from '../../input.ts'
import { agentId, crewId, planId } from '../../lookup.ts'
import { tasksIn } from '../../missions/plan-file.ts'
import { missionView } from '../../views/missions.ts'

export default class MissionsCreate extends ApiCommand<typeof MissionsCreate> {
  static override summary = 'Create a mission, perhaps with its tasks'
  static override description =
    'Its tasks come from a file in YAML or JSON (--file), from missions add-task, or from the LEAD of the crew ' +
    '(missions plan).'
  static override examples = [
    '$ <%= config.bin %> missions create "Relaunch" --crew web-team --description @GOAL.md',
    '$ <%= config.bin %> missions create "Relaunch" --crew web-team --file plan.yaml',
  ]
  static override args = { title: Args.string({ required: true, description: 'title of the mission' }) }
  static override flags = {
    crew: Flags.string({ required: true, description: 'crew that works on it' }),
    lead: Flags.string({ description: 'the LEAD in charge; the LEAD of the crew unless given' }),
    description: descriptionFlag('mission'),
    plan: Flags.string({ helpValue: 'TEXT', description: 'notes about the plan; @FILE reads a file' }),
    'workflow-template': Flags.string({ helpValue: 'PLAN', description: 'step plan whose steps become its tasks' }),
    file: Flags.string({ helpValue: 'FILE', description: 'its tasks in YAML or JSON; - reads standard input' }),
  }

  async run(): Promise<void> {
    const { crew, lead, file, description, plan, 'workflow-template': template } = this.flags
    const crew_id = await crewId(this.api, crew)
    const text = file === '-' ? '-' : file && `@${file}`
    const tasks = text ? await tasksIn((await textOf(text))!, (slug) => agentId(this.api, slug)) : undefined
    const mission = await this.api.missions.create({
      crewId: crew_id,
      body: given({
        title: this.args.title,
        lead_agent_id: lead ? await agentId(this.api, lead) : await this.leadOf(crew_id, crew),
        description: await textOf(description),
        plan: await textOf(plan),
        workflow_template: template && (await planId(this.api, template)),
        tasks,
      }),
    })
    await this.out.done(`Created the mission ${mission.title}.`, mission, missionView)
  }

  private async leadOf(crew_id: string, crew: string): Promise<string> {
    const agents = await this.api.agents.list({ query: { crew_id, limit: 500 } })
    const lead = agents.find(({ agent_role }) => agent_role === 'LEAD')
    if (!lead)
      throw new InputError(`The crew "${crew}" has no LEAD, who leads missions.`, 'muster agents update AGENT --lead')
    return lead.id
  }
}
