import { audits } from './define.ts'

/** Labels, projects, milestones and triage rules. */
export const workFacts = {
  ...audits('label', 'Label'),
  ...audits('project', 'Project'),
  ...audits('milestone', 'Milestone'),
  ...audits('triage_rule', 'Triage rule'),
}
