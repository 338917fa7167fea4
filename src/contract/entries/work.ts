import { audits } from './define.ts'

/** Labels, projects, milestones, triage rules, workflow templates and step plans. */
export const workFacts = {
  ...audits('label', 'Label'),
  ...audits('project', 'Project'),
  ...audits('milestone', 'Milestone'),
  ...audits('triage_rule', 'Triage rule'),
  ...audits('workflow_template', 'Workflow template'),
  ...audits('step_plan', 'Step plan'),
}
