import type { Static } from 'typebox'
import type { Milestone } from '#contract/milestones'
import type { Project, ProjectStats } from '#contract/projects'
import { age, type Cell, when, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

interface Counted {
  issue_count: number
  done_count: number
}

const done = ({ issue_count, done_count }: Counted): Cell => ({
  text: issue_count ? `${done_count} of ${issue_count}` : '-',
  value: done_count,
})

const tones = { on_track: 'green', at_risk: 'yellow', off_track: 'red' } as const

export const projectView: View<Static<typeof Project>> = {
  name: ({ slug }) => slug,
  empty: 'There are no projects here. Next: muster projects create NAME',
  columns: {
    NAME: ({ slug }) => slug,
    STATUS: ({ status }) => word(status),
    HEALTH: ({ health }) => ({ text: health.replace('_', ' '), value: health, tone: tones[health] }),
    PRIORITY: ({ priority }) => priority,
    DONE: done,
    LEAD: ({ lead_name }) => lead_name,
    TARGET: ({ target_date }) => target_date,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { 'DISPLAY-NAME': ({ name }) => name, ID: ({ id }) => id },
  detail: {
    Slug: ({ slug }) => slug,
    Name: ({ name }) => name,
    Id: ({ id }) => id,
    Description: ({ description }) => description,
    Status: ({ status }) => word(status),
    Health: ({ health }) => ({ text: health.replace('_', ' '), value: health, tone: tones[health] }),
    Priority: ({ priority }) => priority,
    Done: done,
    Lead: ({ lead_name }) => lead_name,
    Start: ({ start_date }) => start_date,
    Target: ({ target_date }) => target_date,
    Created: ({ created_at }) => when(created_at),
    Updated: ({ updated_at }) => when(updated_at),
  },
}

export const milestoneView: View<Static<typeof Milestone>> = {
  name: ({ name }) => name,
  empty: 'The project has no milestones. Next: muster milestones create PROJECT NAME',
  columns: {
    NAME: ({ name }) => name,
    STATUS: ({ status }) => word(status),
    DONE: done,
    TARGET: ({ target_date }) => target_date,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { PLACE: ({ position }) => position, ID: ({ id }) => id },
}

const few = 10
/** The first of them for people, all of them for programs. */
const listed = (parts: readonly string[]): Cell =>
  parts.length > few
    ? { text: [...parts.slice(0, few), `${parts.length - few} more`].join(', '), value: parts.join(', ') }
    : parts.join(', ')

export const projectStatsView: View<Static<typeof ProjectStats>> = {
  name: ({ total_issues }) => String(total_issues),
  columns: {
    Issues: ({ total_issues }) => total_issues,
    Done: ({ completed_issues, total_issues }) => done({ issue_count: total_issues, done_count: completed_issues }),
    Status: ({ by_status }) =>
      listed(Object.entries(by_status).map(([status, n]) => `${n} ${status.toLowerCase().replaceAll('_', '-')}`)),
    Assignees: ({ by_assignee }) =>
      listed(
        by_assignee.map(
          ({ agent_name, agent_id, total, completed }) => `${agent_name ?? agent_id} ${completed} of ${total}`,
        ),
      ),
    Labels: ({ by_label }) => listed(by_label.map(({ label_name, count }) => `${label_name} ${count}`)),
    Crews: ({ crews }) => listed(crews),
  },
}
