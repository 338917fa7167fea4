import type { Code } from '#contract/problems'

/** Codes of failures that this command finds itself. */
export type OwnCode =
  | 'access_refused'
  | 'address_taken'
  | 'cancelled'
  | 'data_dir_in_use'
  | 'disk_full'
  | 'exit'
  | 'failed'
  | 'fault'
  | 'interrupted'
  | 'invalid_configuration'
  | 'invalid_input'
  | 'other_version'
  | 'state_lost'
  | 'storage_refused'
  | 'unreachable'

/** Codes of refusals of `musterd admin` and `musterd backup`. */
export type HostCode =
  | 'bundle_altered'
  | 'bundle_foreign'
  | 'bundle_hostile'
  | 'bundle_newer'
  | 'bundle_truncated'
  | 'daemon_running'
  | 'database_damaged'
  | 'database_foreign'
  | 'database_missing'
  | 'database_older'
  | 'database_replaced'
  | 'foreign_data_dir'
  | 'key_missing'
  | 'key_wrong'
  | 'no_backup'
  | 'no_data_dir'
  | 'not_empty'
  | 'restore_running'
  | 'seals_forged'
  | 'seals_missing'
  | 'secret_needed'
  | 'secret_wrong'
  | 'unusable'
  | 'unusable_data_dir'
  | 'unusable_database'
  | 'volumes_there'

const webhooks = 'triggers.md#webhooks'
const server = 'cli.md#which-server-as-whom-where'
const signingIn = 'signing-in.md'
const twoFactor = 'two-factor.md#when-it-is-asked-for'
const setUpTwoFactor = 'two-factor.md#turning-it-on'
const password = 'account.md#password'
const compaction = 'journal.md#compaction'
const erasing = 'journal.md#erasure-for-the-law'
const invitations = 'people.md#invitations'
const provider = 'identity-provider.md'
const letIn = 'identity-provider.md#who-is-let-in'
const bodies = 'rules/http.md#headers-and-bodies'
const questions = 'questions.md#what-people-do'
const disk = 'operating.md#when-the-disk-fails'
const start = 'operating.md#exit-codes-of-musterd'
const containers = 'operating.md#containers'
const lost = 'operating.md#lost-data'
const lockedOut = 'operating.md#locked-out'
const folder = 'operating.md#the-data-directory'
const unusableBundle = 'backup.md#a-bundle-that-cannot-be-used'
const restoring = 'backup.md#restoring'
const report = 'operating.md#report-a-fault'

/** Page and heading that explain a failure, below the folder of the documentation; null: its sentence says it all. */
export const pages: Readonly<Record<Code | OwnCode | HostCode, string | null>> = {
  no_credentials: signingIn,
  session_expired: signingIn,
  session_revoked: signingIn,
  session_invalid: signingIn,
  no_workspace: server,
  workspace_required: server,
  origin_rejected: 'rules/http.md#origins',
  host_rejected: 'operating.md#configuration',
  invalid_request: bodies,
  invalid_json: bodies,
  invalid_field: null,
  missing_field: null,
  no_fields: null,
  method_not_allowed: bodies,
  body_over_limit: bodies,
  body_too_large: bodies,
  unsupported_media_type: bodies,
  request_timeout: null,
  headers_too_large: null,
  dry_run_unsupported: 'rules/http.md#dry-runs',
  not_a_member: invitations,
  insufficient_role: 'people.md#roles',
  insufficient_scope: 'rules/http.md#scopes',
  not_found: 'cli.md#names-and-ids',
  rate_limited: 'operating.md#limits',
  internal: report,
  unavailable: 'operating.md#looking-at-it',
  storage_full: disk,
  storage_unavailable: disk,

  csrf_mismatch: 'rules/accounts.md#cookies',
  signup_disabled: invitations,
  wrong_password: password,
  no_password_set: password,
  common_password: password,
  account_locked: lockedOut,
  invalid_token: null,
  second_factor_invalid: twoFactor,
  second_factor_not_started: setUpTwoFactor,
  second_factor_missing: setUpTwoFactor,
  step_up_required: twoFactor,
  two_factor_required: 'two-factor.md#requiring-it-in-a-workspace',
  fresh_session_required: setUpTwoFactor,
  session_required: 'signing-in.md#browsers-that-are-signed-in',
  idp_not_configured: 'identity-provider.md#setting-it-up',
  idp_state_unknown: provider,
  idp_refused: provider,
  idp_exchange_failed: provider,
  idp_email_unverified: letIn,
  idp_sign_in_first: 'identity-provider.md#when-the-address-was-never-verified-here',
  idp_profile_failed: provider,
  idp_unavailable: provider,
  last_way_in: 'identity-provider.md#linked-accounts',
  compaction_running: compaction,
  journal_kept: compaction,
  entry_rolled_up: compaction,
  erasure_running: erasing,
  own_erasure: erasing,
  already_member: null,
  token_ended: null,
  invitation_exists: invitations,
  only_workspace: 'people.md#leaving-removing-handing-over',
  home_workspace: 'people.md#roles',
  owner_remains: 'administration.md#erasing-a-person',
  last_owner: 'people.md#leaving-removing-handing-over',
  already_initialized: signingIn,
  bootstrap_closed: 'rules/accounts.md#bootstrap',
  invalid_code: 'signing-in.md#with-a-pairing-code',
  onboarding_completed: null,

  approval_settled: 'decisions.md#requests-for-approval',
  keeper_settled: 'keeper.md#what-people-decide',
  keeper_in_flight: 'keeper.md#requests',
  unknown_agent: 'keeper.md#requests',
  approval_undecidable: 'decisions.md#requests-for-approval',
  query_limit: 'peers.md#questions-between-agents',
  runs_full: 'peers.md#questions-between-agents',
  crews_not_connected: 'peers.md#connections-of-crews',
  not_the_lead: 'decisions.md#requests-for-approval',
  escalation_settled: 'decisions.md#questions-that-an-agent-waits-for',
  policy_refused: 'rules/policies.md',
  forbidden_pairing: 'rules/policies.md',
  reason_required: 'rules/policies.md',
  second_approver_required: 'rules/decisions.md#second-approver',
  not_actionable: questions,
  already_acted: questions,
  run_gone: questions,
  private_room: 'rooms.md#agents-in-channels',
  run_open: 'receipts.md',
  answer_undeliverable: questions,
  source_managed: 'rules/inbox.md#settling',
  internal_token_rejected: null,
  invalid_answers: 'asking-by-form.md',
  slug_taken: null,
  name_taken: null,
  avatar_kept: null,
  already_assigned: null,
  templates_full: 'rules/work.md#workflow-templates',
  builtin_kept: 'rules/work.md#workflow-templates',
  triage_rules_full: 'rules/work.md#triage',
  relation_exists: 'rules/work.md#issues',
  nothing_to_anchor: 'checkpoints.md',
  files_not_marked: 'checkpoints.md#undo',
  runs_open: 'checkpoints.md#undo',
  tripwires_full: 'tripwires.md#limits',
  not_tripped: 'tripwires.md#when-one-is-touched',
  rewind_open: 'checkpoints.md#undo',
  transition_refused: 'rules/work.md#issues',
  mission_refused: 'rules/work.md#missions',
  mission_empty: 'rules/work.md#missions',
  mission_full: 'rules/work.md#missions',
  mission_planning: 'rules/work.md#missions',
  task_refused: 'rules/work.md#missions',
  task_cycle: 'rules/work.md#missions',
  lead_taken: 'rules/agents.md#changing-an-agent',
  routine_invalid: 'routines.md#the-definition',
  routine_untested: 'routines.md#versions-and-approval',
  routine_changed: 'routines.md#versions-and-approval',
  routine_settled: 'routines.md#versions-and-approval',
  routine_inactive: 'routines.md#versions-and-approval',
  routine_busy: 'routines.md#runs',
  routine_run_over: 'routines.md#runs',
  automations_full: 'automations.md#limits',
  schedules_full: 'schedules.md#limits',
  routines_full: 'routines.md#versions-and-approval',
  invalid_inputs: 'routines.md#runs',
  missing_values: 'recipes.md#install',
  server_unreachable: 'recipes.md#install',
  missing_credentials: 'routines.md#secrets-and-the-network',
  missing_integrations: 'routines.md#secrets-and-the-network',
  chain_too_deep: 'routines.md#runs',
  webhook_unsigned: webhooks,
  webhook_late: webhooks,
  webhook_disabled: 'webhooks.md#answers',
  webhooks_full: 'webhooks.md#limits',
  chat_taken: 'rules/chats.md#chats-and-messages',
  assignment_limit: 'assignments.md#limits',
  own_assignment: null,
  agent_deleted: null,
  assignment_ended: null,
  assignments_open: 'assignments.md#cancelling',
  chat_busy: 'rules/chats.md#sending',
  client_id_taken: 'rules/chats.md#sending',
  agent_expired: 'hiring.md#when-the-time-is-over',
  hire_quota: 'hiring.md#how-many',
  hire_settled: 'hiring.md#approving',
  manifest_invalid: 'apply.md#mistakes',
  plan_outdated: 'apply.md#plan-and-apply',
  skill_invalid: 'skills.md#the-format',
  license_refused: 'skills.md#licences',
  skill_unreachable: 'skills.md#importing',
  skill_of_others: 'skills.md#importing',
  bulk_import_running: 'skills.md#from-a-repository',
  repository_unreadable: 'skills.md#from-a-repository',
  skill_exists: 'skills.md#a-skill-that-a-model-writes',
  model_key_missing: 'skills.md#a-skill-that-a-model-writes',
  no_skill_written: 'skills.md#a-skill-that-a-model-writes',
  skills_full: 'skills.md#limits',
  managed_unconfigured: 'managed-integrations.md#the-key',
  managed_key_rejected: 'managed-integrations.md#the-key',
  managed_failed: 'managed-integrations.md#when-the-provider-fails',
  integrations_full: 'integrations.md#limits',
  oauth_incomplete: 'oauth.md#credentials-of-your-own',
  oauth_unsuitable: 'oauth.md#what-a-server-must-do',
  oauth_state_unknown: 'oauth.md#when-it-does-not-work',
  oauth_refused: 'oauth.md#when-it-does-not-work',
  oauth_exchange_failed: 'oauth.md#when-it-does-not-work',
  integration_changed: 'integrations.md#tools',
  scopes_changed: 'keeper.md#scopes',
  scopes_unknown: 'keeper.md#scopes',
  use_settled: 'keeper.md#scopes',
  tools_changed: 'integrations.md#tools',
  tools_elsewhere: 'integrations.md#tools',
  tools_unreadable: 'integrations.md#tools',
  agent_crewless: 'persona.md#cards-about-people',
  agent_pending_review: 'decisions.md#requests-for-approval',
  foreign_chat: 'asking-by-form.md#files',
  foreign_file: null,
  file_refused: 'files.md#saving',
  file_changed: 'files.md#conflicts',
  memory_refused: 'memory.md#what-is-refused',
  memory_changed: 'memory.md#files',
  consolidation_running: 'consolidation.md#running-it',
  proposal_settled: 'consolidation.md#deciding',
  staging_gone: 'consolidation.md#deciding',
  memory_off: 'memory.md#what-reaches-agents',
  memory_gone: 'memory.md#keeping',
  crew_not_running: containers,
  encryption_unavailable: folder,
  admin_tokens_unavailable: 'operating.md#administrative-tokens',
  outside_crew: null,
  exposure_quota: 'ports.md',
  exposure_ended: 'ports.md#what-people-do',
  delivery_failed: 'notifications.md#channels',
  channel_not_allowed: 'notifications.md#messages-of-agents',
  channels_full: 'notifications.md#channels',
  no_model_key: 'templates.md#a-crew-that-a-model-suggests',
  no_suggestion: 'templates.md#a-crew-that-a-model-suggests',
  models_unreachable: 'adapters.md#models',
  container_unreachable: containers,
  runtime_failed: containers,
  runtime_unavailable: containers,
  backup_running: 'backup.md#making-one',
  bundle_unusable: unusableBundle,

  access_refused: folder,
  address_taken: start,
  cancelled: null,
  data_dir_in_use: folder,
  disk_full: disk,
  exit: null,
  failed: null,
  fault: report,
  interrupted: null,
  invalid_configuration: 'operating.md#configuration',
  invalid_input: null,
  other_version: start,
  state_lost: lost,
  storage_refused: disk,
  unreachable: server,

  daemon_running: lockedOut,
  database_damaged: lost,
  database_foreign: lost,
  database_missing: lost,
  database_older: lost,
  database_replaced: lost,
  foreign_data_dir: lockedOut,
  bundle_altered: unusableBundle,
  bundle_foreign: unusableBundle,
  bundle_hostile: unusableBundle,
  bundle_newer: unusableBundle,
  bundle_truncated: unusableBundle,
  no_backup: 'backup.md#the-drill',
  not_empty: restoring,
  restore_running: restoring,
  secret_needed: unusableBundle,
  secret_wrong: unusableBundle,
  unusable: restoring,
  volumes_there: restoring,
  key_missing: lost,
  key_wrong: lost,
  no_data_dir: folder,
  seals_forged: lost,
  seals_missing: lost,
  unusable_data_dir: folder,
  unusable_database: lost,
}

const known: Readonly<Record<string, string | null>> = pages

/** The page that explains a failure with this code. */
export const pageOfProblem = (code: string | undefined): string | null =>
  code !== undefined && Object.hasOwn(known, code) ? known[code]! : null
