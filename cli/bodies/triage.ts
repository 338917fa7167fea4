import { Flags, type Interfaces } from '@oclif/core'
import type { Static } from 'typebox'
import type { Client } from '#client'
import { matchTypes, triagePriorities } from '#client/words'
import type { TriageRulePatch } from '#contract/triage'
import { given, oneOf } from '../flags.ts'
import { agentId, crewId, labelId, projectId } from '../lookup.ts'

/** Flags of what a triage rule looks for, and what it does. */
export const triageFlags = {
  pattern: Flags.string({ helpValue: 'TEXT', description: 'what it looks for in the title' }),
  'match-type': oneOf(matchTypes, {
    description: 'a part of the title whatever the case, a regular expression, or the whole title',
  }),
  crew: Flags.string({ description: 'crew that gets the issue; empty for none' }),
  assignee: Flags.string({ helpValue: 'AGENT', description: 'agent that works on it; empty for none' }),
  priority: oneOf([...triagePriorities, ''], {
    helpValue: triagePriorities.join('|'),
    description: 'priority that it gets; empty for the one that it has',
  }),
  project: Flags.string({ description: 'project that it gets; empty for none' }),
  labels: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'LABEL',
    description: 'kept for clients',
  }),
}

type Given = Partial<Interfaces.InferredFlags<typeof triageFlags>>

/** The body of a create or a change from the flags that were given. */
export async function triageBody(api: Client, flags: Given): Promise<Static<typeof TriageRulePatch>> {
  const { pattern, crew, assignee, project, priority, labels } = flags
  const ids = labels && (await Promise.all(labels.filter(Boolean).map((label) => labelId(api, label))))
  return given({
    pattern,
    match_type: flags['match-type'],
    crew_id: crew && (await crewId(api, crew)),
    assignee_id: assignee && (await agentId(api, assignee)),
    project_id: project && (await projectId(api, project)),
    priority,
    labels_json: ids && JSON.stringify(ids),
  })
}
