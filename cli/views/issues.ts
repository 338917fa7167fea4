import type { Static } from 'typebox'
import type { Issue, IssueComment, IssueEvent, IssueRelation, IssueRun } from '#contract/issues'
import { age, type Cell, shortSpan, status, when, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Shown = Static<typeof Issue>

const tones: Partial<Record<Shown['priority'], 'red' | 'yellow'>> = { urgent: 'red', high: 'yellow' }

const priority = ({ priority }: Shown): Cell => {
  const tone = tones[priority]
  return priority === 'none' ? null : { text: priority, ...(tone && { tone }) }
}

const labels = ({ labels }: Shown) => labels.map(({ name }) => name).join(', ')

export const issueView: View<Shown> = {
  name: ({ identifier }) => identifier,
  empty: 'There are no such issues. Next: muster issues create TITLE --crew CREW',
  columns: {
    ID: ({ identifier }) => identifier,
    TITLE: ({ title }) => title,
    STATUS: (it) => status(it.status),
    PRIORITY: priority,
    ASSIGNEE: ({ assignee_name }) => assignee_name,
    LABELS: labels,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: {
    CREW: ({ crew_slug }) => crew_slug,
    PROJECT: ({ project_name }) => project_name,
    DUE: ({ due_date }) => due_date,
    'WHOLE-ID': ({ id }) => id,
  },
  detail: {
    Issue: ({ identifier }) => identifier,
    Title: ({ title }) => title,
    Status: (it) => status(it.status),
    Priority: priority,
    Crew: ({ crew_slug }) => crew_slug,
    Assignee: ({ assignee_name }) => assignee_name,
    'Worked on by': ({ work_mode }) => (work_mode === 'human' ? 'a person' : null),
    Agent: ({ session_status }) => session_status && word(session_status),
    Routine: ({ routine_slug }) => routine_slug,
    'Routine is given': ({ routine_inputs }) => routine_inputs && JSON.stringify(routine_inputs),
    Labels: labels,
    Project: ({ project_name }) => project_name,
    Milestone: ({ milestone_name }) => milestone_name,
    Due: ({ due_date }) => due_date,
    Estimate: ({ estimate }) => estimate,
    'Sub-issues': ({ sub_issues_count }) => sub_issues_count || null,
    Comments: ({ comment_count }) => comment_count || null,
    'Opened by': ({ created_by }) => created_by.name ?? created_by.type,
    Opened: ({ created_at }) => when(created_at),
    Changed: ({ updated_at }) => when(updated_at),
    Done: ({ completed_at }) => when(completed_at),
    Id: ({ id }) => id,
  },
}

export const commentView: View<Static<typeof IssueComment>> = {
  name: ({ id }) => id,
  empty: 'Nobody has commented. Next: muster issues comment ISSUE TEXT',
  columns: {
    AUTHOR: ({ author_name, author_id }) => author_name ?? author_id,
    TEXT: ({ body }) => body,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { ID: ({ id }) => id },
}

export const eventView: View<Static<typeof IssueEvent>> = {
  name: ({ id }) => id,
  columns: {
    ACTION: ({ action }) => word(action),
    BY: ({ actor_name, actor_type }) => actor_name ?? actor_type,
    DETAILS: ({ details }) => details,
    AGE: ({ created_at }) => age(created_at),
  },
}

export const startedView: View<{ identifier: string; status: string; run_id: string }> = {
  name: ({ run_id }) => run_id,
  columns: {
    ISSUE: ({ identifier }) => identifier,
    STATUS: (it) => status(it.status),
    RUN: ({ run_id }) => run_id,
  },
}

export const issueRunView: View<Static<typeof IssueRun>> = {
  name: ({ id }) => id,
  empty: 'No agent has been at work. Next: muster issues start ISSUE',
  columns: {
    ID: ({ id }) => id,
    AGENT: ({ agent_name, routine_slug }) => agent_name ?? routine_slug,
    STATUS: (it) => status(it.status),
    TOOK: ({ duration_ms }) => shortSpan(duration_ms / 1000),
    SAID: ({ result_summary, error_message }) => error_message ?? result_summary,
    AGE: ({ started_at }) => started_at && age(started_at),
  },
}

/** From the issue at which one looks. */
const seenFromTarget = {
  blocks: 'blocked_by',
  blocked_by: 'blocks',
  relates_to: 'relates_to',
  duplicate_of: 'duplicated_by',
} as const

export const relationView = (issue: string): View<Static<typeof IssueRelation>> => ({
  name: ({ id }) => id,
  empty: 'The issue is related to no other. Next: muster issues relate ISSUE OTHER --type blocks',
  columns: {
    ID: ({ id }) => id,
    RELATION: ({ relation_type, source_id }) => {
      const value = source_id === issue ? relation_type : seenFromTarget[relation_type]
      return { text: value.replace('_', ' '), value }
    },
    ISSUE: ({ target_identifier }) => target_identifier,
    TITLE: ({ target_title }) => target_title,
    STATUS: ({ target_status }) => status(target_status),
  },
})
