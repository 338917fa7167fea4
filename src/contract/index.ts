import { accounts } from './accounts.ts'
import { activity } from './activity.ts'
import { agentAvatars } from './agent-avatars.ts'
import { agentLeads } from './agent-leads.ts'
import { agents } from './agents.ts'
import { approvals } from './approvals.ts'
import { acts, asks } from './asks.ts'
import { bootstrap } from './bootstrap.ts'
import { chats } from './chats.ts'
import { credentials } from './credentials.ts'
import { crewMembers } from './crew-members.ts'
import { crews } from './crews.ts'
import { decisions } from './decisions.ts'
import type { Endpoint } from './define.ts'
import { escalations } from './escalations.ts'
import { idp } from './idp.ts'
import { inbox } from './inbox.ts'
import { invitations } from './invitations.ts'
import { journal } from './journal.ts'
import { limits } from './limits.ts'
import { memberCapabilities } from './member-capabilities.ts'
import { members } from './members.ts'
import { onboarding } from './onboarding.ts'
import { pages } from './pages.ts'
import { pairing } from './pairing.ts'
import { policies } from './policies.ts'
import { ports } from './ports.ts'
import { preferences } from './preferences.ts'
import { runs } from './runs.ts'
import { sessions } from './sessions.ts'
import { sockets } from './sockets.ts'
import { system } from './system.ts'
import { tokens } from './tokens.ts'
import { totp } from './totp.ts'
import { users } from './users.ts'
import { waitpoints } from './waitpoints.ts'
import { workspaces } from './workspaces.ts'

export const api = {
  accounts,
  agents: { ...agents, ...activity, ...agentAvatars, ...agentLeads },
  approvals,
  asks,
  bootstrap,
  chats,
  credentials,
  crews: { ...crews, ...crewMembers },
  decisions,
  escalations,
  idp,
  inbox: { ...inbox, ...acts },
  invitations,
  journal,
  limits,
  members: { ...members, ...memberCapabilities },
  onboarding,
  pages,
  pairing,
  policies,
  ports,
  preferences,
  runs,
  sessions,
  sockets,
  system,
  tokens,
  totp,
  users,
  waitpoints,
  workspaces,
}
export type Api = typeof api

/** Every endpoint with its name, as `crews.create`. */
export const endpoints: { name: string; feature: string; op: string; endpoint: Endpoint }[] = Object.entries(
  api,
).flatMap(([feature, ops]) =>
  Object.entries(ops as Record<string, Endpoint>).map(([op, endpoint]) => ({
    name: `${feature}.${op}`,
    feature,
    op,
    endpoint,
  })),
)
