import { fact } from '#contract/entries'
import { newId } from '#kernel/ids'
import { requestApproval } from '../../daemon/features/approvals/service.ts'
import { addMessage } from '../../daemon/features/chats/messages/service.ts'
import { propose } from '../../daemon/features/consolidate/service.ts'
import { askAboutUse } from '../../daemon/features/credentials/questions/service.ts'
import { countUse } from '../../daemon/features/credentials/scopes/service.ts'
import { stage } from '../../daemon/features/skills/proposals/service.ts'
import { openWaitpoint } from '../../daemon/features/waitpoints/service.ts'
import { addPerson, type Person, type TestDaemon } from './index.ts'
import { putBeforePeople } from './judge.ts'

export type Ids = Record<string, string>

/** One of everything that a path or a body can name, in the workspace of this person. */
export async function furnish(it: TestDaemon, owner: Person, word: string): Promise<Ids> {
  const { app } = it
  const workspace = owner.workspace
  const make = async (path: string, body?: object) => (await it.call(owner, 'POST', path, body)).body
  const crew = await make('/crews', { name: word, slug: word })
  const form = {
    id: `form-${word}`,
    label: 'Form',
    template: '{{a}}',
    fields: [{ name: 'a', label: 'A', type: 'text' }],
  }
  const ask_forms = JSON.stringify([form])
  const otherCrew = await make('/crews', { name: `${word} two`, slug: `${word}-two` })
  const connection = await make('/crew-connections', { from_crew_id: crew.id, to_crew_id: otherCrew.id })
  const agent = await make('/agents', { name: word, slug: word, crew_id: crew.id, ask_forms })
  const chat = await make(`/agents/${agent.id}/chats`, {})
  const credential = await make('/credentials', { name: word, type: 'SECRET', value: 'x' })
  const assignment = await make(`/agents/${agent.id}/credentials`, {
    credential_id: credential.id,
    env_var_name: 'KEY',
  })
  const rotation = await make(`/credentials/${credential.id}/rotate`, { value: 'y', grace_seconds: 3600 })
  const invitation = await make(`/workspaces/${workspace}/invitations`, { email: `${word}@example.com` })
  const member = app.writeNow(() => addPerson(app, 'MEMBER', workspace))
  const crewMember = await make(`/crews/${crew.id}/members`, { user_id: member.userId, role: 'MANAGER' })
  const members = (await it.call(owner, 'GET', `/workspaces/${workspace}/members`)).body as {
    id: string
    user_id: string
  }[]
  const inside = { 'x-internal-token': app.internalTokens.ofCrew(workspace, crew.id) }
  const question = { workspace_id: workspace, crew_id: crew.id, agent_id: agent.id, reason: 'May I?' }
  const escalation = (await it.call(null, 'POST', '/internal/escalations', question, inside)).body
  const now = app.now()
  const requestId = app.writeNow(() =>
    putBeforePeople(app, { workspace, crew: crew.id, agent: agent.id }, credential.id),
  )
  const asking = {
    workspace,
    credential: credential.id,
    to: { host: `${word}.example`, method: 'GET', path: '/' },
    agent: agent.id,
    asker: { id: agent.id, name: word },
    crew: crew.id,
    run: null,
  }
  const questionId = app.writeNow(() => {
    countUse(app, asking, asking.to)
    return askAboutUse(app, asking)!
  })
  const held = {
    workspace,
    by: agent.id,
    kind: 'custom' as const,
    reason: 'May I?',
    payload: {},
    card: { title: 'May I?' },
    now,
  }
  const approval = app.writeNow(() => requestApproval(app, held))
  const waitpoint = app.writeNow(() => openWaitpoint(app, { workspace, kind: 'approval', prompt: 'Go on?', now }))
  const run = newId(app.clock())
  const started = fact(
    'run.started',
    { trigger_type: 'user', chat_id: chat.id },
    { workspace_id: workspace, agent_id: agent.id, crew_id: crew.id, trace_id: run, actor_type: 'system' },
  )
  const entry = app.writeNow(() => app.journal(started))
  app.db
    .prepare(
      `INSERT INTO runs (id, workspace_id, crew_id, agent_id, agent_name, agent_slug, chat_id, source, trigger_type,
        max_turns, phase, stream, first_frame, created_at)
       VALUES (?, ?, ?, ?, 'x', 'x', ?, 'chat', 'USER', 0, 'running', ?, 1, 0)`,
    )
    .run(run, workspace, crew.id, agent.id, chat.id, chat.id)
  const delegated = newId(app.clock())
  app.db
    .prepare(
      `INSERT INTO assignments (id, workspace_id, crew_id, assigned_by_id, assigned_to_id, task, status, group_id,
        depth, parent_run_id, chain_origin, created_at)
       VALUES (?, ?, ?, ?, ?, 'x', 'QUEUED', ?, 1, ?, ?, ?)`,
    )
    .run(delegated, workspace, crew.id, agent.id, agent.id, run, run, run, now)
  const remembered = await make('/memory/file/append', { path: `agent:${word}/AGENT.md`, content: `I know ${word}` })
  const versions = (await it.call(owner, 'GET', `/memory/versions?path=agent:${word}/AGENT.md`)).body
  const proposal = app.writeNow(() =>
    propose(app, {
      crew: { id: crew.id, workspace_id: workspace, slug: word, name: word },
      rules: [{ pattern: word, action: word, evidence: [entry.entry.id], confidence: 1 }],
      entriesScanned: 1,
      model: word,
      actor: { actor_type: 'system' },
      now,
    }),
  )
  const learned = { pattern: `learned ${word}`, action: word, evidence: [entry.entry.id], confidence: 1 }
  const made = { crew: { id: crew.id, workspace_id: workspace, slug: word, name: word }, pattern: word, now }
  app.writeNow(() => stage(app, { ...made, rule: learned, score: { composite: 1, recall_count: 10 } }))
  const suggested = await make(`/agents/${agent.id}/persona/suggest`, { content: `I am ${word}` })
  app.db
    .prepare(
      `INSERT INTO peer_cards (id, workspace_id, agent_id, user_id, content, created_at, updated_at)
       VALUES (?, ?, ?, ?, 'x', ?, ?)`,
    )
    .run(`card ${word}`, workspace, agent.id, member.userId, now, now)
  const port = newId(app.clock())
  app.db
    .prepare(
      `INSERT INTO port_exposures (id, workspace_id, crew_id, agent_id, container_id, container_port, token_hash,
        status, created_at, expires_at)
       VALUES (?, ?, ?, ?, 'x', 8080, ?, 'ACTIVE', ?, '2099-01-01T00:00:00Z')`,
    )
    .run(port, workspace, crew.id, agent.id, `hash ${word}`, now)
  const room = await make('/conversations', {
    kind: 'group',
    is_direct: true,
    member_ids: [member.userId],
    client_id: word,
  })
  const attachment = newId(app.clock())
  app.db
    .prepare(
      `INSERT INTO attachments (id, workspace_id, crew_id, agent_id, chat_id, filename, content_type, size_bytes,
        sha256, storage_key, agent_path, state, created_at)
       VALUES (?, ?, ?, ?, ?, 'x', 'text/plain', 1, 'x', ?, '/output/x', 'ready', ?)`,
    )
    .run(attachment, workspace, crew.id, agent.id, chat.id, `${crew.id}/x`, now)
  const message = app.writeNow(() =>
    addMessage(app, { chatId: chat.id, agentId: agent.id, runId: null, role: 'user', content: word }),
  )
  const label = await make('/labels', { name: word, color: '#123' })
  const project = await make('/projects', { name: word })
  const milestone = await make(`/projects/${project.id}/milestones`, { name: word })
  // Identifiers are told apart by the prefix of their crew.
  await it.call(owner, 'PATCH', `/crews/${crew.id}`, { issue_prefix: word.slice(0, 3).toUpperCase() })
  const issue = await make(`/crews/${crew.id}/issues`, { title: word })
  const target = await make(`/crews/${crew.id}/issues`, { title: `${word} two` })
  const relation = await make(`/crews/${crew.id}/issues/${issue.identifier}/relations`, {
    target_identifier: (await make(`/crews/${crew.id}/issues`, { title: `${word} three` })).identifier,
    relation_type: 'blocks',
  })
  const tripwire = await make(`/crews/${crew.id}/tripwires`, { kind: 'credential', name: 'STRIPE_SECRET_KEY' })
  const rule = await make('/triage-rules', { name: word, pattern: word, match_type: 'exact' })
  const lead = await make('/agents', {
    name: `${word} lead`,
    slug: `${word}-lead`,
    crew_id: crew.id,
    agent_role: 'LEAD',
  })
  const mission = await make(`/crews/${crew.id}/missions`, {
    title: word,
    lead_agent_id: lead.id,
    tasks: [{ key: 'a', title: word }],
  })
  const checkpoint = await make(`/missions/${mission.id}/checkpoints`, { label: word })
  const stages = JSON.stringify([
    { name: 'Open', type: 'open', position: 1 },
    { name: 'Done', type: 'completed', position: 2 },
  ])
  const workflow = await make('/workflow-templates', { name: word, template_json: stages })
  const plan = await make('/templates', { name: word, template_json: { steps: [{ id: 'a', title: 'A' }] } })
  const W = `/workspaces/${workspace}`
  const step = { type: 'transform', transform: { input: word, expression: '.' } }
  const definition = { dsl_version: '1.0', name: word, steps: [{ id: 'a', ...step }] }
  const saving = { slug: word, definition, skip_test_gate: true }
  await make(`${W}/pipelines/save`, saving)
  const routineRun = await make(`${W}/pipelines/${word}/run`, { wait_seconds: 0 })
  const pending = await make(`${W}/pipelines/${word}/run`, { delay_seconds: 60 })
  const timing = { name: word, cron_expr: '@daily', target_pipeline_slug: word }
  const schedule = await make(`${W}/pipeline-schedules`, timing)
  const webhook = await make(`${W}/pipeline-webhooks`, { name: word, target_pipeline_slug: word })
  const reacting = { name: word, event_type: 'run.failed', action: { routine_slug: word } }
  const automation = await make('/automations', reacting)
  const channel = await make('/notification-channels', { type: 'webhook', url: 'https://example.com/hook' })
  await make(`/notification-channels/${channel.id}/agents`, { agent_id: agent.id })
  const integration = await make('/integrations', { name: word, endpoint: `https://${word}.example/mcp` })
  const server = await make(`/crews/${crew.id}/integrations`, { name: word, endpoint: `https://${word}.example/mcp` })
  const binding = await make(`/agents/${agent.id}/integrations`, {
    mcp_server_id: integration.id,
    mcp_server_scope: 'workspace',
  })
  const expected = { tools: [{ name: word }] }
  await make(`/integrations/${integration.id}/tools/refresh`, expected)
  await make(`/crews/${crew.id}/integrations/${server.id}/tools/refresh`, expected)
  const { skill_id: skill } = await make(`${W}/skills/import`, { content: `---\nname: ${word}\nlicense: MIT\n---\n` })
  return {
    integrationId: integration.id,
    serverId: server.id,
    toolName: word,
    bindingId: binding.id,
    skillId: skill,
    channelId: channel.id,
    provider: 'slack',
    agentId: agent.id,
    leadId: lead.id,
    missionId: mission.id,
    taskId: mission.tasks[0].id,
    attachmentId: attachment,
    automationId: automation.id,
    formId: form.id,
    approvalId: approval,
    assignmentId: assignment.id,
    auditId: suggested.audit_id,
    sha: remembered.sha256,
    versionId: versions.entries[0].id,
    chatId: chat.id,
    checkpointId: checkpoint.id,
    conversationId: room.id,
    connectionId: connection.id,
    crewId: crew.id,
    otherCrewId: otherCrew.id,
    credentialId: credential.id,
    decisionId: approval,
    delegationId: delegated,
    entryId: entry.entry.id,
    escalationId: escalation.escalation_id,
    requestId,
    questionId,
    exposureId: port,
    invitationId: invitation.id,
    identifier: issue.identifier,
    issueId: issue.id,
    labelId: label.id,
    messageId: message.id,
    notificationId: app.db
      .prepare<[string], string>('SELECT id FROM notifications WHERE user_id = ?')
      .pluck()
      .get(owner.userId)!,
    milestoneId: milestone.id,
    planId: plan.id,
    routineSlug: word,
    version: '1',
    routineRunId: routineRun.run_id,
    pendingId: pending.pending_id,
    workflowId: workflow.id,
    projectId: project.id,
    proposalId: proposal,
    relationId: relation.id,
    targetIdentifier: target.identifier,
    emoji: 'x',
    itemId: `ibx_waitpoint_${waitpoint.id}`,
    'crews/memberId': crewMember.id,
    'workspaces/memberId': members.find(({ user_id }) => user_id === member.userId)!.id,
    rotationId: rotation.rotation_id ?? rotation.id,
    ruleId: rule.id,
    tripwireId: tripwire.id,
    scheduleId: schedule.id,
    webhookId: webhook.id,
    runId: run,
    token: waitpoint.id,
    tokenId: app.db.prepare<[string], string>('SELECT id FROM cli_tokens WHERE user_id = ?').pluck().get(owner.userId)!,
    userId: member.userId,
    slug: word,
  }
}
