import { accounts } from './accounts.ts'
import { activity } from './activity.ts'
import { adapters } from './adapters.ts'
import { admin } from './admin.ts'
import { agentAvatars } from './agent-avatars.ts'
import { agentLeads } from './agent-leads.ts'
import { agentLearning } from './agent-learning.ts'
import { agentMemory } from './agent-memory.ts'
import { agentPeers } from './agent-peers.ts'
import { agentSends } from './agent-sends.ts'
import { agentSkills } from './agent-skills.ts'
import { agentStanding } from './agent-standing.ts'
import { agents } from './agents.ts'
import { approvals } from './approvals.ts'
import { askForms } from './ask-forms.ts'
import { acts, asks } from './asks.ts'
import { assignments } from './assignments.ts'
import { attachments } from './attachments.ts'
import { audit } from './audit.ts'
import { automations } from './automations.ts'
import { backup } from './backup.ts'
import { blame } from './blame.ts'
import { bootstrap } from './bootstrap.ts'
import { channels } from './channels.ts'
import { chatPeople } from './chat-people.ts'
import { chatSearch } from './chat-search.ts'
import { chats } from './chats.ts'
import { checkpoints } from './checkpoints.ts'
import { collisions } from './collisions.ts'
import { consolidate } from './consolidate.ts'
import { credentialScopes } from './credential-scopes.ts'
import { credentials } from './credentials.ts'
import { agentConnections, crewConnections } from './crew-connections.ts'
import { crewMembers } from './crew-members.ts'
import { crewTemplates } from './crew-templates.ts'
import { crews } from './crews.ts'
import { decisions } from './decisions.ts'
import type { Endpoint } from './define.ts'
import { deliveries } from './deliveries.ts'
import { escalations } from './escalations.ts'
import { agentFiles, files } from './files.ts'
import { hires } from './hires.ts'
import { idp } from './idp.ts'
import { inbox } from './inbox.ts'
import { integrationTools } from './integration-tools.ts'
import { integrations } from './integrations.ts'
import { invitations } from './invitations.ts'
import { issues } from './issues.ts'
import { journal } from './journal.ts'
import { keeper } from './keeper.ts'
import { labels } from './labels.ts'
import { limits } from './limits.ts'
import { managed } from './managed.ts'
import { manifests } from './manifests.ts'
import { mcp } from './mcp.ts'
import { memberCapabilities } from './member-capabilities.ts'
import { members } from './members.ts'
import { memory } from './memory.ts'
import { memoryRules } from './memory-rules.ts'
import { metrics } from './metrics.ts'
import { milestones } from './milestones.ts'
import { missions } from './missions.ts'
import { models } from './models.ts'
import { notes } from './notes.ts'
import { notifications } from './notifications.ts'
import { oauth } from './oauth.ts'
import { onboarding } from './onboarding.ts'
import { pages } from './pages.ts'
import { pairing } from './pairing.ts'
import { crewPeers, peers } from './peers.ts'
import { persona } from './persona.ts'
import { plans } from './plans.ts'
import { policies } from './policies.ts'
import { ports } from './ports.ts'
import { notificationHours, notificationPreferences, preferences } from './preferences.ts'
import { projects } from './projects.ts'
import { recipes } from './recipes.ts'
import { registry } from './registry.ts'
import { rooms } from './rooms.ts'
import { routines } from './routines.ts'
import { runReceipts } from './run-receipts.ts'
import { runTree } from './run-tree.ts'
import { runs } from './runs.ts'
import { schedules } from './schedules.ts'
import { sessions } from './sessions.ts'
import { skills } from './skills.ts'
import { sockets } from './sockets.ts'
import { system } from './system.ts'
import { templates } from './templates.ts'
import { tokens } from './tokens.ts'
import { totp } from './totp.ts'
import { triage } from './triage.ts'
import { triggers } from './triggers.ts'
import { tripwires } from './tripwires.ts'
import { users } from './users.ts'
import { waitpoints } from './waitpoints.ts'
import { webhooks } from './webhooks.ts'
import { workflows } from './workflows.ts'
import { workspaces } from './workspaces.ts'

export const api = {
  accounts,
  adapters,
  admin,
  agents: {
    ...agents,
    ...activity,
    ...agentAvatars,
    ...agentConnections,
    ...agentFiles,
    ...agentLeads,
    ...hires,
    ...askForms,
    ...agentLearning,
    ...agentPeers,
    ...agentStanding,
    ...triggers,
  },
  approvals,
  asks,
  assignments,
  attachments,
  audit,
  automations,
  backup,
  blame,
  bootstrap,
  channels,
  chats: { ...chats, ...chatPeople, ...chatSearch },
  checkpoints,
  collisions,
  consolidate,
  credentials: { ...credentials, ...credentialScopes },
  crews: { ...crews, ...crewConnections, ...crewMembers, ...crewPeers },
  decisions,
  deliveries: { ...deliveries, ...agentSends },
  escalations,
  files,
  idp,
  inbox: { ...inbox, ...acts },
  integrations: { ...integrations, ...integrationTools },
  invitations,
  issues,
  journal,
  keeper,
  labels,
  limits,
  managed,
  manifests,
  mcp,
  registry,
  members: { ...members, ...memberCapabilities },
  memory: { ...memory, ...memoryRules, ...agentMemory },
  metrics,
  milestones,
  missions,
  models,
  notes,
  notifications,
  oauth,
  onboarding,
  pages,
  pairing,
  peers,
  persona,
  plans,
  policies,
  ports,
  preferences: { ...preferences, ...notificationPreferences, ...notificationHours },
  projects,
  recipes,
  rooms,
  routines,
  runs: { ...runs, ...runReceipts, ...runTree },
  schedules,
  sessions,
  skills: { ...skills, ...agentSkills },
  sockets,
  system,
  templates: { ...templates, ...crewTemplates },
  tokens,
  totp,
  triage,
  tripwires,
  users,
  waitpoints,
  webhooks,
  workflows,
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
