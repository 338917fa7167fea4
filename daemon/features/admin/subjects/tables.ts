/**
 * What an erasure does to rows of a table that name a person. Parameters: @user, @email, @full_name ("" when it is one
 * word), @workspace, and @nobody, an id that belongs to nobody.
 */
export interface Rule {
  table: string
  /** The columns that name the person. */
  columns: readonly string[]
  where: string
  /** What is written over; the row is deleted where nothing is. */
  set?: string
  /** Only once the person is no member any more. */
  late?: true
}

const inWorkspace = 'workspace_id = @workspace'
const within = (column: string, parent: string, key = 'id') =>
  `${column} IN (SELECT ${key} FROM ${parent} WHERE workspace_id = @workspace)`

/** The row concerns the person alone, and goes. */
const drop = (table: string, column: string, scope = inWorkspace): Rule => ({
  table,
  columns: [column],
  where: `${column} = @user AND ${scope}`,
})

/** The row is the workspace's and stays; the person is nobody in it. */
const unname = (table: string, column: string, scope = inWorkspace): Rule => ({
  table,
  columns: [column],
  where: `${column} = @user AND ${scope}`,
  set: `${column} = @nobody`,
})

/** Sentences that Muster wrote stay without the name. */
const unsay = (table: string, column: string, scope: string): Rule => ({
  table,
  columns: [column],
  where: `(instr(${column}, @email) OR (@full_name <> '' AND instr(${column}, @full_name))) AND ${scope}`,
  set: `${column} = replace(
    CASE @full_name WHEN '' THEN ${column} ELSE replace(${column}, @full_name, 'somebody') END, @email, 'somebody')`,
})

/** The id stands within a text. */
const replaceId = (table: string, column: string): Rule => ({
  table,
  columns: [column],
  where: `instr(${column}, @user) AND ${inWorkspace}`,
  set: `${column} = replace(${column}, @user, @nobody)`,
})

const open = 'resolved_at IS NULL AND blocking = 1'
const ofRooms = within('room_id', 'rooms')
const ofChats = within('chat_id', 'chats')
const ofMissions = within('mission_id', 'missions')

/** In this order: what rows hang on comes after them. */
export const rules: readonly Rule[] = [
  drop('peer_cards', 'user_id'),
  drop('memory_versions', 'written_by'),
  unname('memory_files', 'written_by'),
  unname('memory_proposals', 'decided_by_user_id'),
  {
    table: 'inbox_items',
    columns: ['audience'],
    where: `audience = 'user:' || @user AND ${inWorkspace} AND NOT (${open})`,
  },
  {
    table: 'inbox_items',
    columns: ['audience'],
    where: `audience = 'user:' || @user AND ${inWorkspace}`,
    set: "audience = 'role:MANAGER'",
    late: true,
  },
  {
    table: 'inbox_items',
    columns: ['sender_id'],
    where: `sender_id = @user AND ${inWorkspace}`,
    set: 'sender_id = @nobody, sender_name = NULL',
  },
  unsay('inbox_items', 'title', inWorkspace),
  unsay('inbox_items', 'body_md', inWorkspace),
  unname('inbox_items', 'read_by_user_id'),
  unname('inbox_items', 'resolved_by_user_id'),
  drop('inbox_item_reads', 'user_id', within('item', 'inbox_items', 'seq')),
  {
    table: 'inbox_counts',
    columns: ['audience'],
    where: `audience = 'user:' || @user AND ${inWorkspace} AND active = 0`,
    late: true,
  },
  { ...drop('inbox_read_counts', 'user_id', `${inWorkspace} AND active = 0`), columns: ['user_id', 'audience'] },
  unname('decisions', 'settled_by_user_id'),
  unname('approvals', 'requested_by'),

  drop('notification_deliveries', 'user_id'),
  drop('notifications', 'user_id'),
  unname('notifications', 'actor_id'),
  replaceId('notification_events', 'audience_json'),
  drop('user_notification_prefs', 'user_id'),
  unname('notification_channel_agents', 'granted_by'),
  {
    table: 'notification_channels',
    columns: ['owner_user_id'],
    where: `owner_user_id = @user AND ${inWorkspace}`,
    set: `owner_user_id = NULL, url = NULL, address = NULL, secret_enc = NULL, enabled = 0,
      deleted_at = coalesce(deleted_at, updated_at)`,
  },
  unname('notification_channels', 'created_by'),

  drop('chat_participants', 'user_id', ofChats),
  drop('chat_read_cursors', 'user_id', ofChats),
  drop('chat_sends', 'user_id', ofChats),
  drop('message_reactions', 'user_id', ofChats),
  unname('chat_messages', 'author_user_id', ofChats),
  unname('chats', 'created_by'),
  unname('attachments', 'uploaded_by_user_id'),
  drop('room_requests', 'user_id', ofRooms),
  drop('room_members', 'user_id'),
  unname('room_messages', 'author_id', ofRooms),
  unsay('room_messages', 'content', `author_type = 'system' AND ${ofRooms}`),
  replaceId('rooms', 'pair'),
  unname('rooms', 'created_by'),

  drop('crew_members', 'user_id', within('crew_id', 'crews')),
  unname('crews', 'created_by_user_id'),
  unname('crews', 'policy_set_by'),
  unname('agents', 'created_by_user_id'),
  unname('agent_learning', 'set_by_user_id', within('agent_id', 'agents')),
  unname('persona_suggestions', 'suggested_by'),
  unname('credentials', 'created_by'),
  unname('credential_rotations', 'rotated_by', within('credential_id', 'credentials')),
  drop('oauth_states', 'user_id'),
  unname('port_exposures', 'revoked_by'),
  drop('shells', 'user_id'),
  unname('file_versions', 'user_id'),

  {
    table: 'missions',
    columns: ['assignee_id'],
    where: `assignee_id = @user AND ${inWorkspace}`,
    set: 'assignee_type = NULL, assignee_id = NULL',
    late: true,
  },
  unname('missions', 'created_by_id'),
  unname('mission_activity', 'actor_id', ofMissions),
  unsay('mission_activity', 'details', ofMissions),
  unname('mission_comments', 'author_id', ofMissions),
  unname('mission_tasks', 'approved_by', ofMissions),
  {
    table: 'projects',
    columns: ['lead_id'],
    where: `lead_id = @user AND ${inWorkspace}`,
    set: 'lead_type = NULL, lead_id = NULL',
    late: true,
  },
  {
    table: 'triage_rules',
    columns: ['assignee_id'],
    where: `assignee_id = @user AND ${inWorkspace}`,
    set: 'assignee_id = NULL',
  },
  unname('assignments', 'triggered_by'),
  unname('checkpoints', 'created_by'),
  unname('rewinds', 'asked_by'),

  unname('automations', 'created_by'),
  unname('routines', 'author_user_id'),
  unname('routine_versions', 'author_id', within('routine_id', 'routines')),
  unname('routine_versions', 'decided_by', within('routine_id', 'routines')),
  unname('routine_runs', 'user_id'),
  unname('routine_runs', 'triggered_by_id'),
  unname('pending_runs', 'triggered_by_id'),
  replaceId('pending_runs', 'request_json'),
  unname('run_records', 'triggered_by'),
  unname('runs', 'triggered_by'),
  unname('runs', 'cancelled_by'),

  {
    table: 'keeper_governance_settings',
    columns: ['security_contact_user_id'],
    where: `security_contact_user_id = @user AND ${inWorkspace}`,
    set: 'security_contact_user_id = NULL',
  },
  unname('keeper_governance_settings', 'updated_by'),
  unname('keeper_requests', 'settled_by_user_id'),
  unname('tripwires', 'created_by_user_id'),
  unname('tripwire_trips', 'settled_by_user_id'),
  unname('keeper_request_events', 'actor_id'),
  unname('journal_compactions', 'asked_by'),
  {
    table: 'workspace_invitations',
    columns: ['email', 'invited_by'],
    where: `(email = @email OR invited_by = @user) AND ${inWorkspace}`,
  },
]

const account = "of the person's account, which belongs to no workspace"
const proof = 'that it was done, when and by whom must be provable'

/** Tables and columns that name people and stay as they are, and why. */
export const kept: Readonly<Record<string, string>> = {
  users: account,
  user_avatars: account,
  user_preferences: account,
  user_sessions: account,
  linked_accounts: account,
  notification_hours: account,
  recovery_codes: account,
  totp_secrets: account,
  verification_tokens: account,
  cli_pairings: account,
  cli_tokens: account,
  cli_token_uses: account,
  workspace_members: 'the membership is ended, as if the person had been removed',
  gdpr_actions: proof,
  journal_erasures: proof,
  journal_priorities: 'part of what proves the journal; who acted and when stays there',
  credential_audit: 'who touched a secret is kept as long as the workspace says, for its safety',
  rate_limit_overrides: "of the server's settings",
  keeper_settings: "of the server's settings",
  keeper_aux_settings: "of the server's settings",
  'agents.parent_lead_id': 'an agent',
  'assignments.assigned_by_id': 'an agent',
  'credentials.account_email': 'an account at a provider, not a person of the workspace',
  'labelled_issues.assignee_id': 'follows missions.assignee_id by a trigger',
  'managed_grants.account_user': 'an account at a provider, not a person of the workspace',
  'memory_files.owner_id': 'an agent, a crew or the workspace',
  'memory_versions.owner_id': 'an agent, a crew or the workspace',
  'missions.created_by_type': 'a kind, not a person',
}
