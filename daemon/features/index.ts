import { type Feature, join } from '#kernel/feature'
import accounts from './accounts/routes.ts'
import activity from './activity/routes.ts'
import agentAvatars from './agents/avatars/routes.ts'
import agentLeads from './agents/leads/routes.ts'
import agents from './agents/routes.ts'
import approvals from './approvals/routes.ts'
import acts from './asks/acts/routes.ts'
import asks from './asks/routes.ts'
import bootstrap from './bootstrap/routes.ts'
import chats from './chats/routes.ts'
import credentials from './credentials/routes.ts'
import crewMembers from './crews/members/routes.ts'
import crews from './crews/routes.ts'
import decisions from './decisions/routes.ts'
import escalations from './escalations/routes.ts'
import idp from './idp/routes.ts'
import inbox from './inbox/routes.ts'
import invitations from './invitations/routes.ts'
import journal from './journal/routes.ts'
import limits from './limits/routes.ts'
import memberCapabilities from './members/capabilities/routes.ts'
import members from './members/routes.ts'
import onboarding from './onboarding/routes.ts'
import pages from './pages/routes.ts'
import pairing from './pairing/routes.ts'
import policies from './policies/routes.ts'
import ports from './ports/routes.ts'
import preferences from './preferences/routes.ts'
import runs from './runs/routes.ts'
import sessions from './sessions/routes.ts'
import sockets from './sockets/routes.ts'
import system from './system/routes.ts'
import tokens from './tokens/routes.ts'
import totp from './totp/routes.ts'
import users from './users/routes.ts'
import waitpoints from './waitpoints/routes.ts'
import workspaces from './workspaces/routes.ts'

export const features = {
  accounts,
  agents: join(agents, activity, agentAvatars, agentLeads),
  approvals,
  asks,
  bootstrap,
  chats,
  credentials,
  crews: join(crews, crewMembers),
  decisions,
  escalations,
  idp,
  inbox: join(inbox, acts),
  invitations,
  journal,
  limits,
  members: join(members, memberCapabilities),
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
} satisfies Record<string, Feature>
