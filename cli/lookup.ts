import type { Client } from '#client'
import { windowed, windowSize } from './flags.ts'
import { find, NotFound } from './lookup/find.ts'

/** Id of a crew given by slug or id. */
export const crewId = (api: Client, crew: string): Promise<string> =>
  find(
    {
      noun: 'crew',
      next: 'muster crews list',
      rows: (query) => api.crews.list({ query }),
      names: ({ slug }) => [slug],
    },
    crew,
  )

/** Id of an agent given by slug or id. */
export const agentId = (api: Client, agent: string): Promise<string> =>
  find(
    {
      noun: 'agent',
      next: 'muster agents list',
      rows: (query) => api.agents.list({ query }),
      names: ({ slug }) => [slug],
    },
    agent,
  )

/** Id of a label given by name or id. */
export const labelId = (api: Client, label: string): Promise<string> =>
  find(
    {
      noun: 'label',
      next: 'muster labels list',
      rows: (query) => api.labels.list({ query }),
      names: ({ name }) => [name],
    },
    label,
  )

/** Id of a triage rule given by name or id. */
export const triageRuleId = (api: Client, rule: string): Promise<string> =>
  find(
    {
      noun: 'triage rule',
      next: 'muster triage list',
      rows: (query) => api.triage.list({ query }),
      names: ({ name }) => [name],
    },
    rule,
  )

/** Id of a workflow template given by name or id. */
export const workflowId = (api: Client, template: string): Promise<string> =>
  find(
    {
      noun: 'workflow template',
      next: 'muster workflows list',
      rows: (query) => api.workflows.list({ query }),
      names: ({ name }) => [name],
    },
    template,
  )

/** Id of a step plan given by name or id. */
export const planId = (api: Client, plan: string): Promise<string> =>
  find(
    {
      noun: 'step plan',
      next: 'muster plans list',
      rows: (query) => api.plans.list({ query }),
      names: ({ name }) => [name],
    },
    plan,
  )

/** Id of a project given by slug, name or id. */
export const projectId = (api: Client, project: string): Promise<string> =>
  find(
    {
      noun: 'project',
      next: 'muster projects list',
      rows: (query) => api.projects.list({ query }),
      names: ({ slug, name }) => [slug, name],
    },
    project,
  )

/** Id of a milestone of a project, given by name or id. */
export const milestoneId = (api: Client, projectId: string, milestone: string): Promise<string> =>
  find(
    {
      noun: 'milestone',
      next: 'muster milestones list PROJECT',
      rows: (query) => api.milestones.list({ projectId, query }),
      names: ({ name }) => [name],
    },
    milestone,
  )

/** Id of a tripwire of a crew given by name or id. */
export const tripwireId = (api: Client, crewId: string, tripwire: string): Promise<string> =>
  find(
    {
      noun: 'tripwire',
      next: 'muster tripwires list CREW',
      rows: () => api.tripwires.list({ crewId }),
      names: ({ name }) => [name],
    },
    tripwire,
  )

/** Where a mission of that title or id is. */
export async function missionAt(api: Client, mission: string): Promise<{ crewId: string; missionId: string }> {
  const rows: Awaited<ReturnType<Client['missions']['list']>> = []
  const missionId = await find(
    {
      noun: 'mission',
      next: 'muster missions list',
      lookUpIds: true,
      rows: async (window) => {
        const page = (query: object) => api.missions.list({ query: { ...query, mission_type: 'orchestration' } })
        const found = await windowed(window, page, 200)
        rows.push(...found)
        return found
      },
      names: ({ title }) => [title],
    },
    mission,
  )
  return { missionId, crewId: rows.find(({ id }) => id === missionId)!.crew_id }
}

/** Id of a task of a mission given by its number, its title or id. */
export const taskId = (
  tasks: readonly { id: string; title: string; task_order: number }[],
  task: string,
): Promise<string> =>
  find(
    {
      noun: 'task',
      next: 'muster missions show MISSION',
      lookUpIds: true,
      rows: async () => [...tasks],
      names: ({ title, task_order }) => [title, String(task_order), `#${task_order}`],
    },
    task,
  )

export interface IssueAt {
  id: string
  crewId: string
  identifier: string
}

/** Where an issue of that identifier or id is: its crew and its identifier. */
export async function issueAt(api: Client, issue: string): Promise<IssueAt> {
  const { id, crew_id, identifier } = await api.issues.find({ identifier: issueName(issue) })
  return { id, crewId: crew_id, identifier }
}

/** What a person calls an issue: its identifier in upper case, or its id. */
export const issueName = (text: string) => (/^[A-Za-z0-9]+-\d+$/.test(text) ? text.toUpperCase() : text)

/** Id of an issue or a mission, given by an issue's identifier, a mission's title or an id. */
export const missionId = async (api: Client, mission: string): Promise<string> =>
  /^[A-Za-z0-9]+-\d+$/.test(mission)
    ? (await issueAt(api, mission)).id
    : find(
        {
          noun: 'issue or mission',
          next: 'muster missions list',
          rows: (window) => windowed(window, (query) => api.missions.list({ query }), 200),
          names: ({ mission_type, title }) => (mission_type === 'orchestration' ? [title] : []),
          most: 2000,
        },
        mission,
      )

/** Id of a member of the workspace given by email or id of the person. */
export const userId = (api: Client, workspaceId: string, user: string): Promise<string> =>
  find(
    {
      noun: 'member',
      next: 'muster members list',
      rows: async (query) => (await api.members.list({ workspaceId, query })).map(({ user }) => user),
      names: ({ email }) => [email],
    },
    user.toLowerCase(),
  )

/** Id of a member by email address; an id is taken as it is, for it may be of somebody who left. */
export const personId = async (api: Client, workspaceId: string, user: string): Promise<string> =>
  user.includes('@') ? userId(api, workspaceId, user) : user

/** Membership of a person in a crew, given by email, id of the person or id of the membership. */
export const crewMemberId = (api: Client, crewId: string, user: string): Promise<string> =>
  find(
    {
      noun: 'member',
      next: 'muster crews members CREW',
      rows: (query) => api.crews.members({ crewId, query }),
      names: ({ user }) => [user.email],
      ids: ({ id, user_id }) => [id, user_id],
      lookUpIds: true,
    },
    user.toLowerCase(),
  )

/** Id of the connection of two crews, whichever way round. */
export async function crewConnectionId(api: Client, one: string, other: string): Promise<string> {
  const rows = await windowed({ all: true }, (query) => api.crews.connections({ query }))
  const ends = [one, other].sort().join()
  const found = rows.find(({ from_crew_id, to_crew_id }) => [from_crew_id, to_crew_id].sort().join() === ends)
  if (!found) throw new NotFound('connection', `${one} ${other}`, undefined, 'muster crews connections')
  return found.id
}

/** Id of a credential given by name or id. */
export const credentialId = (api: Client, credential: string): Promise<string> =>
  find(
    {
      noun: 'credential',
      next: 'muster credentials list',
      rows: (query) => api.credentials.list({ query }),
      names: ({ name }) => [name],
    },
    credential,
  )

/** A member given by address, user id or membership id. */
export async function memberOf(api: Client, workspaceId: string, member: string) {
  const people = new Map<string, Awaited<ReturnType<Client['members']['list']>>[number]>()
  const id = await find(
    {
      noun: 'member',
      next: 'muster members list',
      rows: async (query) => {
        const rows = await api.members.list({ workspaceId, query })
        for (const row of rows) people.set(row.id, row)
        return rows
      },
      names: ({ user }) => [user.email],
      ids: ({ id, user_id }) => [id, user_id],
      lookUpIds: true,
    },
    member.toLowerCase(),
  )
  return people.get(id)!
}

/** Id of an invitation given by itself or by the address that is invited. */
export const invitationId = (api: Client, workspaceId: string, invitation: string): Promise<string> =>
  find(
    {
      noun: 'invitation',
      next: 'muster invitations list',
      rows: (query) => api.invitations.list({ workspaceId, query }),
      names: ({ email }) => [email],
    },
    invitation.toLowerCase(),
  )

/** Id of an invitation to the caller, given by itself or by the slug of the workspace. */
export const ownInvitationId = (api: Client, invitation: string): Promise<string> =>
  find(
    {
      noun: 'invitation',
      next: 'muster invitations mine',
      rows: (query) => api.invitations.mine({ query }),
      names: ({ workspace }) => [workspace.slug],
    },
    invitation,
  )

/** Slug of a workspace of the caller; its id where there is none any more. */
export async function slugOfWorkspace(api: Client, id: string): Promise<string> {
  const own = await api.workspaces.list({ query: { limit: windowSize } })
  return own.find((workspace) => workspace.id === id)?.slug ?? id
}
