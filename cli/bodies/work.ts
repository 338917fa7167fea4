import { Flags, type Interfaces } from '@oclif/core'
import type { Static } from 'typebox'
import type { Client } from '#client'
import { healths, milestoneStatuses, projectStatuses, workPriorities } from '#client/words'
import type { MilestonePatch } from '#contract/milestones'
import type { ProjectPatch } from '#contract/projects'
import { type Session, workspaceInUse } from '../contexts/session.ts'
import { given, oneOf } from '../flags.ts'
import { InputError } from '../input.ts'
import { agentId, userId } from '../lookup.ts'

/** A flag that takes a day. */
export const dayFlag = (description: string) => Flags.string({ helpValue: 'YYYY-MM-DD', description })

/** A flag that takes a color of the web. */
export const colorFlag = (description: string) => Flags.string({ helpValue: '#RRGGBB', description })

/** Flags of what a person decides of a project. */
export const projectFlags = {
  description: Flags.string({ description: 'purpose of the project' }),
  icon: Flags.string({ description: 'an emoji or the name of an icon' }),
  color: colorFlag('color of the project'),
  status: oneOf(projectStatuses, { description: 'how far the project is' }),
  priority: oneOf(workPriorities, { description: 'how much it matters' }),
  health: oneOf(healths, { description: 'whether it will be done in time' }),
  lead: Flags.string({ helpValue: 'WHO', description: 'agent or email of the member who leads it; empty for nobody' }),
  start: dayFlag('first day; empty for none'),
  target: dayFlag('day on which it should be done; empty for none'),
}

type Given = Partial<Interfaces.InferredFlags<typeof projectFlags>> & { name?: string | undefined }

/** The body of a create or a change from the flags that were given. */
export async function projectBody(api: Client, session: Session, flags: Given): Promise<Static<typeof ProjectPatch>> {
  const { name, description, icon, color, status, priority, health, start, target } = flags
  return {
    ...given({ name, description, icon, color, status, priority, health, start_date: start, target_date: target }),
    ...(flags.lead !== undefined && named('lead', await workerCalled(api, session, flags.lead))),
  }
}

/** Flags of what a person decides of a milestone. */
export const milestoneFlags = {
  description: Flags.string({ description: 'what it is about' }),
  status: oneOf(milestoneStatuses, { description: 'how far it is' }),
  target: dayFlag('day on which it should be reached; empty for none'),
  position: Flags.integer({ min: 0, description: 'its place among the others, from 0' }),
}

type GivenMilestone = Partial<Interfaces.InferredFlags<typeof milestoneFlags>> & { name?: string | undefined }

/** The body of a create or a change from the flags that were given. */
export const milestoneBody = (flags: GivenMilestone): Static<typeof MilestonePatch> => {
  const { name, description, status, target, position } = flags
  return given({ name, description, status, target_date: target, position })
}

/** The agent or member that is called so; empty text means nobody. */
export async function workerCalled(api: Client, session: Session, who: string) {
  if (who === '') return { type: '', id: '' } as const
  if (who.includes('@') && !who.startsWith('@'))
    return { type: 'user', id: await userId(api, workspaceInUse(session), who) } as const
  if (/\s/.test(who)) throw new InputError(`"${who}" is neither the name of an agent nor an email address.`)
  return { type: 'agent', id: await agentId(api, who.replace(/^@/, '')) } as const
}

const named = <R extends string, T extends string>(role: R, { type, id }: { type: T; id: string }) =>
  ({ [`${role}_type`]: type, [`${role}_id`]: id }) as Record<`${R}_type`, T> & Record<`${R}_id`, string>
