import type { KindName } from '#contract/manifest-kinds'
import { crewTemplate, recipe, routine, skill } from './catalogues.ts'
import { channel } from './channels.ts'
import { agent, credential, crew } from './crews.ts'
import { integration } from './integrations.ts'
import { issue } from './issues.ts'
import type { Kind } from './kind.ts'
import { label, milestone, project, triageRule, workflowTemplate, workspace } from './work.ts'

export const kinds: Readonly<Record<KindName, Kind>> = {
  Workspace: workspace,
  Label: label,
  Project: project,
  Milestone: milestone,
  Skill: skill,
  CrewTemplate: crewTemplate,
  WorkflowTemplate: workflowTemplate,
  Crew: crew,
  Credential: credential,
  Agent: agent,
  Integration: integration,
  NotificationChannel: channel,
  Recipe: recipe,
  Routine: routine,
  TriageRule: triageRule,
  Issue: issue,
}
