import { type Feature, join } from '#kernel/feature'
import accounts from './accounts/routes.ts'
import activity from './activity/routes.ts'
import agentStanding from './activity/standing/routes.ts'
import adapters from './adapters/routes.ts'
import admin from './admin/routes.ts'
import agentAvatars from './agents/avatars/routes.ts'
import agentConnections from './agents/connections/routes.ts'
import agentForms from './agents/forms/routes.ts'
import agentHires from './agents/hires/routes.ts'
import agentLeads from './agents/leads/routes.ts'
import agents from './agents/routes.ts'
import approvals from './approvals/routes.ts'
import acts from './asks/acts/routes.ts'
import asks from './asks/routes.ts'
import assignments from './assignments/routes.ts'
import runTree from './assignments/tree/routes.ts'
import attachments from './attachments/routes.ts'
import audit from './audit/routes.ts'
import automations from './automations/routes.ts'
import backup from './backup/routes.ts'
import blame from './blame/routes.ts'
import bootstrap from './bootstrap/routes.ts'
import notificationHours from './channels/hours/routes.ts'
import channels from './channels/routes.ts'
import notificationPreferences from './channels/wishes/routes.ts'
import chatParticipants from './chats/participants/routes.ts'
import chatReactions from './chats/reactions/routes.ts'
import chats from './chats/routes.ts'
import chatSearch from './chats/search/routes.ts'
import checkpoints from './checkpoints/routes.ts'
import collisions from './collisions/routes.ts'
import consolidate from './consolidate/routes.ts'
import credentials from './credentials/routes.ts'
import credentialScopes from './credentials/scopes/routes.ts'
import crewConnections from './crews/connections/routes.ts'
import crewMembers from './crews/members/routes.ts'
import crews from './crews/routes.ts'
import decisions from './decisions/routes.ts'
import deliveries from './deliveries/routes.ts'
import agentSends from './deliveries/sends/routes.ts'
import escalations from './escalations/routes.ts'
import { agentFiles, files } from './files/routes.ts'
import idp from './idp/routes.ts'
import inbox from './inbox/routes.ts'
import integrations from './integrations/routes.ts'
import integrationTools from './integrations/tools/routes.ts'
import invitations from './invitations/routes.ts'
import issues from './issues/routes.ts'
import journal from './journal/routes.ts'
import keeper from './keeper/routes.ts'
import labels from './labels/routes.ts'
import limits from './limits/routes.ts'
import managed from './managed/routes.ts'
import manifests from './manifests/routes.ts'
import mcp from './mcp/routes.ts'
import memberCapabilities from './members/capabilities/routes.ts'
import members from './members/routes.ts'
import memory from './memory/routes.ts'
import memoryRules from './memory/rules/routes.ts'
import agentMemory from './memory/tools/routes.ts'
import metrics from './metrics/routes.ts'
import milestones from './milestones/routes.ts'
import missions from './missions/routes.ts'
import models from './models/routes.ts'
import notes from './notes/routes.ts'
import notifications from './notifications/routes.ts'
import oauth from './oauth/routes.ts'
import onboarding from './onboarding/routes.ts'
import pages from './pages/routes.ts'
import pairing from './pairing/routes.ts'
import peers, { crewsPeers } from './peers/routes.ts'
import agentLearning from './persona/learning/routes.ts'
import agentPeers from './persona/peers/routes.ts'
import persona from './persona/routes.ts'
import plans from './plans/routes.ts'
import policies from './policies/routes.ts'
import ports from './ports/routes.ts'
import preferences from './preferences/routes.ts'
import projects from './projects/routes.ts'
import recipes from './recipes/routes.ts'
import registry from './registry/routes.ts'
import rooms from './rooms/routes.ts'
import routines from './routines/routes.ts'
import runReceipts from './runs/receipts/routes.ts'
import runs from './runs/routes.ts'
import schedules from './schedules/routes.ts'
import sessions from './sessions/routes.ts'
import agentSkills from './skills/authoring/routes.ts'
import skills from './skills/routes.ts'
import sockets from './sockets/routes.ts'
import system from './system/routes.ts'
import crewTemplates from './templates/crews/routes.ts'
import templates from './templates/routes.ts'
import tokens from './tokens/routes.ts'
import totp from './totp/routes.ts'
import triage from './triage/routes.ts'
import triggers from './triggers/routes.ts'
import tripwires from './tripwires/routes.ts'
import users from './users/routes.ts'
import waitpoints from './waitpoints/routes.ts'
import webhooks from './webhooks/routes.ts'
import workflows from './workflows/routes.ts'
import workspaces from './workspaces/routes.ts'

export const features = {
  accounts,
  adapters,
  admin,
  agents: join(
    agents,
    activity,
    agentAvatars,
    agentConnections,
    agentFiles,
    agentForms,
    agentHires,
    agentLeads,
    agentLearning,
    agentPeers,
    agentStanding,
    triggers,
  ),
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
  chats: join(chats, chatParticipants, chatReactions, chatSearch),
  checkpoints,
  collisions,
  consolidate,
  credentials: join(credentials, credentialScopes),
  crews: join(crews, crewConnections, crewMembers, crewsPeers),
  decisions,
  deliveries: join(deliveries, agentSends),
  escalations,
  files,
  idp,
  inbox: join(inbox, acts),
  integrations: join(integrations, integrationTools),
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
  members: join(members, memberCapabilities),
  memory: join(memory, memoryRules, agentMemory),
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
  preferences: join(preferences, notificationPreferences, notificationHours),
  projects,
  recipes,
  rooms,
  routines,
  runs: join(runs, runReceipts, runTree),
  schedules,
  sessions,
  skills: join(skills, agentSkills),
  sockets,
  system,
  templates: join(templates, crewTemplates),
  tokens,
  totp,
  triage,
  tripwires,
  users,
  waitpoints,
  webhooks,
  workflows,
  workspaces,
} satisfies Record<string, Feature>
