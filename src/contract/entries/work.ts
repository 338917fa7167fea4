import { audits } from './define.ts'

/** Labels, projects and milestones. */
export const workFacts = {
  ...audits('label', 'Label'),
  ...audits('project', 'Project'),
  ...audits('milestone', 'Milestone'),
}
