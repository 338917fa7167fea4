import type { KindName } from '#contract/manifest-kinds'
import { crewTemplate, routine, skill } from './catalogues.ts'
import { agent, credential, crew } from './crews.ts'
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
  Routine: routine,
  TriageRule: triageRule,
}
