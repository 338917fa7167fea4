import { Flags, type Interfaces } from '@oclif/core'
import type { Static } from 'typebox'
import type { Client } from '#client'
import { issueStatuses, workPriorities } from '#client/words'
import type { IssuePatch } from '#contract/issues'
import { type Session, workspaceInUse } from '../contexts/session.ts'
import { given, oneOf } from '../flags.ts'
import { fileOr, InputError, jsonIn, stdinText } from '../input.ts'
import { issueName, labelId, milestoneId, projectId } from '../lookup.ts'
import { dayFlag, workerCalled } from './work.ts'

export const issueStatusFlag = (description: string) => oneOf(issueStatuses, { description })

/** Flags of what a person decides of an issue. */
export const issueFlags = {
  description: Flags.string({
    helpValue: 'TEXT',
    description: 'description in Markdown; @FILE reads a file, - standard input; empty for none',
  }),
  priority: oneOf(workPriorities, { description: 'how much it matters' }),
  assignee: Flags.string({
    helpValue: 'WHO',
    description: 'agent or email of the member who works on it; empty for nobody',
  }),
  label: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'LABEL',
    description: 'a label; repeatable, empty for none',
  }),
  project: Flags.string({ description: 'slug of its project; empty for none' }),
  milestone: Flags.string({ description: 'milestone of its project, by name; empty for none' }),
  routine: Flags.string({ description: 'slug of the routine that does it instead of an agent; empty for none' }),
  'routine-inputs': Flags.string({
    helpValue: 'JSON',
    description: 'object that the routine is given; @FILE reads a file; {} for nothing',
  }),
  parent: Flags.string({ helpValue: 'ISSUE', description: 'the issue that it is a part of; empty for none' }),
  due: dayFlag('day on which it should be done; empty for none'),
  estimate: Flags.integer({ min: 0, max: 1000, description: 'how much work it is' }),
}

type Given = Partial<Interfaces.InferredFlags<typeof issueFlags>>

/** The body of a create or a change from the flags that were given. */
export async function issueBody(api: Client, session: Session, flags: Given): Promise<Static<typeof IssuePatch>> {
  const { description, priority, parent, due, estimate } = flags
  const members: Static<typeof IssuePatch> = {
    priority,
    parent_issue_id: parent && issueName(parent),
    due_date: due,
    estimate,
    description: description === '-' ? await stdinText() : description && fileOr(description),
    ...(await placeOf(api, flags)),
    ...(await routineOf(api, session, flags)),
    labels: flags.label && (await Promise.all(flags.label.filter(Boolean).map((label) => labelId(api, label)))),
    ...(flags.assignee !== undefined && assigneeOf(await workerCalled(api, session, flags.assignee))),
  } as never
  return given(members)
}

const assigneeOf = ({ type, id }: Awaited<ReturnType<typeof workerCalled>>) => ({
  assignee_type: type,
  assignee_id: id,
})

async function routineOf(api: Client, session: Session, { routine, 'routine-inputs': inputs }: Given) {
  const routine_inputs =
    inputs === undefined ? undefined : (jsonIn('routine-inputs', fileOr(inputs)) as Record<string, unknown>)
  if (!routine) return { routine_id: routine, routine_inputs }
  const workspaceId = workspaceInUse(session)
  const { id } = await api.routines.show({ workspaceId, routineSlug: routine })
  return { routine_id: id, routine_inputs }
}

async function placeOf(api: Client, { project, milestone }: Given) {
  const project_id = project && (await projectId(api, project))
  if (!milestone) return { project_id, milestone_id: milestone }
  if (!project_id) throw new InputError('--milestone needs the --project that it belongs to.')
  return { project_id, milestone_id: await milestoneId(api, project_id, milestone) }
}
