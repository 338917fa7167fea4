import type { Shape } from './misuse.ts'

type Named = Shape & { flags?: Readonly<Record<string, { aliases?: readonly string[] }>> }

/** Flags and arguments that are not named after the member of the request that they fill. */
const others: Readonly<Record<string, readonly string[]>> = {
  decision: ['decision', 'verdict'],
  requesting_agent_id: ['agent'],
  request_type: ['type'],
  judge_endpoint_url: ['endpoint'],
  judge_provider: ['provider'],
  judge_wire: ['wire'],
  judge_model: ['model'],
  judge_timeout_ms: ['timeout'],
  timeout_ms: ['timeout'],
  judge_profile: ['profile'],
  judge_evidence: ['evidence'],
  judge_evidence_facts: ['facts'],
  judge_hard_gate: ['hard-gate'],
  judge_escalate_from: ['escalate-from'],
  judge_precedent: ['precedent'],
  judge_precedent_n: ['precedent-n'],
  judge_consistency_samples: ['samples'],
  judge_prompt_budget_tokens: ['budget'],
  security_contact_user_id: ['contact'],
  deny_notify_min_risk: ['min-risk'],
  watch_presets: ['preset'],
  watch_spec: ['watch'],
  require_second_approver: ['second-approver'],
  auto_lease_seconds: ['lease'],
  gov_model_provider: ['provider'],
  gov_model_id: ['model'],
  gov_model_credential_id: ['credential'],
  account_email: ['email'],
  security_level: ['level'],
  delete: ['no-delete'],
  digest: ['file'],
  documents: ['file'],
  mode: ['replace'],
  url: ['source'],
  git_url: ['repository'],
  git_ref: ['ref'],
  file_name: ['file'],
  files: ['source'],
  skill_id: ['skill'],
  skillId: ['skill'],
  allow_unsafe_license: ['unsafe-license'],
  account_label: ['label'],
  actor_type: ['actor'],
  adapter_hint: ['hint'],
  agent_name: ['agent'],
  agent_role: ['lead'],
  allow_privileged_credentials: ['privileged-credentials'],
  approval_required: ['approval'],
  approvalId: ['id'],
  author_crew_id: ['crew'],
  change_summary: ['message'],
  assigned_agent_id: ['agent'],
  assignee_type: ['assignee'],
  assignmentId: ['credential'],
  delegationId: ['assignment'],
  auditId: ['decision'],
  automation_id: ['automation'],
  automationId: ['automation'],
  autonomy_level: ['level'],
  before_seq: ['before'],
  behavior_mode: ['behavior'],
  cli_adapter: ['adapter'],
  confirm_slug: ['workspace'],
  connectionId: ['other'],
  args_json: ['arg'],
  config_json: ['header', 'timeout'],
  config_override_json: ['header', 'timeout'],
  cred_type: ['type'],
  endpoint: ['url'],
  env_json: ['env-file'],
  bindingId: ['integration'],
  mcp_server_id: ['integration'],
  workspace_mcp_server_id: ['from'],
  body: ['text'],
  content: ['text', 'source'],
  conversationId: ['room', 'user'],
  cron_expr: ['cron'],
  date_from: ['since'],
  date_to: ['until'],
  entity_type: ['type'],
  user_id: ['by'],
  agent_slug: ['agent'],
  canonical_path: ['to'],
  versions_retention_days: ['retention-days'],
  sha: ['version'],
  credential_audit_retention_days: ['credential-audit-days'],
  journal_retention_days: ['journal-days'],
  credential_name: ['key-name', 'variable'],
  credential_value: ['key'],
  crew_name: ['crew', 'name'],
  crew_slug: ['slug'],
  entry_type: ['type'],
  escalation_config: ['approve-below'],
  debounce_max_seconds: ['debounce-max'],
  debounce_window_seconds: ['debounce-window'],
  definition: ['file'],
  delay_seconds: ['delay'],
  depends_on: ['after'],
  direction: ['one-way'],
  due_date: ['due'],
  action: ['routine', 'input'],
  event_type: ['event'],
  matcher: ['severity'],
  exclude_entry_type: ['exclude-type'],
  expires_in_seconds: ['expires'],
  exposureId: ['port'],
  from_crew_id: ['crew'],
  full_name: ['name'],
  grant: ['capability'],
  identifier: ['issue'],
  ids: ['items', 'issues'],
  is_direct: ['agent'],
  include_history: ['history'],
  input: ['answer'],
  inputs: ['input'],
  kind: ['agent'],
  label_group: ['group'],
  labels_json: ['labels'],
  lead_agent_id: ['lead'],
  lead_id: ['lead'],
  lead_type: ['lead'],
  llm_model: ['model'],
  llm_provider: ['provider'],
  max_iterations: ['attempts'],
  memberId: ['user'],
  message: ['text'],
  preferred_language: ['language'],
  parent_issue_id: ['parent'],
  preset: ['capability'],
  q: ['search'],
  query: ['text'],
  pipeline: ['file'],
  relation_type: ['type'],
  relationId: ['other'],
  revoke: ['capability'],
  routineRunId: ['routine-run', 'run'],
  routineSlug: ['routine'],
  scheduleId: ['schedule'],
  webhookId: ['webhook'],
  inputs_template: ['input'],
  rate_limit_per_min: ['rate'],
  signing_secret: ['secret-file'],
  catchup_policy: ['catchup'],
  max_consecutive_failures: ['max-failures'],
  slug: ['crew-template', 'recipe', 'name'],
  target_pipeline_slug: ['routine'],
  target_pipeline_version: ['version'],
  wake_fail_closed: ['wake-fail-closed'],
  wake_inputs: ['wake-input'],
  wake_pipeline_slug: ['wake'],
  sample_inputs: ['input'],
  set: ['capability'],
  skip_governance_gate: ['approved'],
  tags: ['tag'],
  tier_override: ['tier'],
  tasks: ['file'],
  subdir: ['folder'],
  start_date: ['start'],
  svg: ['file'],
  target_date: ['target'],
  target_identifier: ['other'],
  template_json: ['file'],
  workflowId: ['template'],
  planId: ['template'],
  template_slug: ['template'],
  to_crew_id: ['other'],
  token: ['id', 'token-file'],
  token_expires_at: ['expires'],
  ttl_minutes: ['ttl'],
  type: ['provider', 'kind'],
  provider: ['kind'],
  secret: ['secret-file'],
  categories: ['category'],
  cells: ['on'],
  scope: ['everybody'],
  values: ['field', 'from-env'],
  workspace_name: ['name'],
}

const kebab = (name: string) =>
  name
    .replace(/[A-Z]/g, (letter) => `-${letter}`)
    .replaceAll('_', '-')
    .toLowerCase()

/** What people may call a member, likeliest first: `crew_ids` is perhaps `crew`. */
function candidates(member: string): string[] {
  const name = kebab(member)
  const bare = name.replace(/-(ids?|seconds|at)$/, '')
  return [name, bare, `${bare}s`, bare.replace(/s$/, ''), `${name}-stdin`, ...(others[member] ?? [])]
}

/** How a person gave a member of a request to this command: `--name`, `CREW`; undefined when by neither. */
export function givenAs(field: string, { flags = {}, args = {} }: Named): string | undefined {
  const parts = field.split('.')
  for (const name of [parts[0]!, parts.at(-1)!].flatMap(candidates)) {
    if (Object.hasOwn(args, name)) return name.toUpperCase()
    if (Object.hasOwn(flags, name)) return `--${name}`
    const flag = Object.entries(flags).find(([, { aliases }]) => aliases?.includes(name))?.[0]
    if (flag !== undefined) return `--${flag}`
  }
  return undefined
}

/** A sentence about a member, said of the flag or argument that gave it. */
export function retold(sentence: string, field: string | undefined, shape: Named): string {
  // A server may say anything.
  if (!field || !/^\w+(?:\.\w+)*$/.test(field)) return sentence
  const name = givenAs(field, shape)
  const words = field.split('.').at(-1)!.replace(/Ids?$/, '').replaceAll('_', ' ')
  // A name that is also a word of the language is replaced only where the sentence is about it.
  const where = /^[a-z]+$/.test(field) ? `^${field}` : `(?<![\\w.-])${field.replaceAll('.', '\\.')}`
  const text = sentence.replace(new RegExp(`${where}(?![\\w-]|\\.\\w)`, 'g'), name ?? words)
  return name === undefined || text.includes(name) ? text : `${text} (${name})`
}
