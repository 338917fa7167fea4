import type { TestDaemon } from '#test'
import { skillText } from './skills.ts'

type Json = Record<string, unknown>

export const document = (
  kind: string,
  slug: string,
  { metadata = {}, spec }: { metadata?: Json; spec?: Json } = {},
): Json => ({
  apiVersion: 'svc/v1',
  kind,
  metadata: { slug, ...metadata },
  ...(spec && { spec }),
})

/** A workspace in which every kind of thing has its place. */
export const richWorkspace = (workspace: string): Json[] => [
  document('Workspace', workspace, {
    metadata: { preferred_language: 'German' },
    spec: {
      notification_channels: [
        { slug: 'ops', type: 'webhook', url: 'https://hooks.example.com/ops', min_priority: 'high', agents: ['bob'] },
        { slug: 'chat', type: 'shoutrrr', provider: 'slack', categories: ['security', 'memory'], enabled: false },
      ],
    },
  }),
  document('Label', 'bug', { metadata: { color: '#e11d48' }, spec: { group: 'kind' } }),
  document('Project', 'relaunch', {
    metadata: { name: 'Relaunch', description: 'The new site', color: '#00aaff' },
    spec: { status: 'in_progress', target_date: '2027-03-01' },
  }),
  document('Milestone', 'beta', { spec: { project: 'Relaunch', target_date: '2027-02-01' } }),
  document('Skill', 'greet', { spec: { inline: skillText('greet') } }),
  document('CrewTemplate', 'pair', {
    metadata: { name: 'A pair' },
    spec: {
      category: 'ENGINEERING',
      agents: [{ name: 'Lead', slug: 'lead', agent_role: 'LEAD', system_prompt: 'Lead.' }],
    },
  }),
  document('WorkflowTemplate', 'short', {
    spec: {
      stages: [
        { name: 'Open', type: 'open' },
        { name: 'Done', type: 'completed' },
      ],
    },
  }),
  document('Crew', 'web', {
    metadata: { name: 'Web', description: 'Builds the site', color: 'blue' },
    spec: {
      devcontainer: {
        memory_mb: 4096,
        cpus: 2,
        network_mode: 'restricted',
        allowed_domains: ['example.com', '*.example.org'],
      },
      policy: { autonomy_level: 'strict', behavior_mode: 'block' },
      credentials: [{ env: 'DEPLOY_TOKEN', type: 'SECRET', label: 'Deploys' }],
      skills: [{ slug: 'greet' }],
      mcp_servers: [
        {
          name: 'github',
          transport: 'stdio',
          command: 'npx',
          args: ['-y', '@modelcontextprotocol/server-github'],
          env_mapping: { GITHUB_TOKEN: 'DEPLOY_TOKEN' },
        },
        { name: 'wiki', replaces: 'wiki', endpoint: 'https://web.wiki.example.com/mcp' },
      ],
      agents: [
        {
          slug: 'ada',
          name: 'Ada',
          agent_role: 'LEAD',
          lead_mode: 'active',
          prompt: 'You lead.\n',
          timeout_seconds: 600,
        },
        {
          slug: 'bob',
          name: 'Bob',
          llm: { provider: 'ANTHROPIC' },
          env_refs: ['DEPLOY_TOKEN'],
          schedule_cron: '0 9 * * 1-5',
          schedule_prompt: 'Good morning',
          schedule_timezone: 'Europe/Berlin',
        },
      ],
    },
  }),
  document('Agent', 'free', { metadata: { name: 'Free' }, spec: { role_title: 'Works alone' } }),
  document('Integration', 'wiki', {
    spec: {
      display_name: 'Wiki',
      endpoint: 'https://wiki.example.com/mcp',
      config: { headers: { 'X-Team': 'web' }, timeout_seconds: 20 },
      bindings: [
        { agent: 'free' },
        { agent: 'bob', credential: 'DEPLOY_TOKEN', header: 'x-api-key', config: { timeout_seconds: 5 } },
      ],
    },
  }),
  document('Issue', 'form-fields', {
    metadata: { name: 'Name the fields' },
    spec: { crew: 'web', parent: 'form', estimate: 2 },
  }),
  document('Issue', 'form', {
    metadata: { name: 'Build the form', description: 'With a *date*' },
    spec: {
      crew: 'web',
      status: 'TODO',
      priority: 'high',
      assignee: 'bob',
      project: 'Relaunch',
      milestone: 'beta',
      due_date: '2027-01-15',
      labels: ['bug'],
    },
  }),
  document('Routine', 'hello', {
    metadata: { name: 'Hello' },
    spec: {
      crew: 'web',
      definition: {
        dsl_version: '1.0',
        name: 'hello',
        steps: [{ id: 'say', type: 'transform', transform: { input: { items: [1] }, expression: '.items' } }],
      },
    },
  }),
  document('TriageRule', 'crashes', {
    spec: {
      pattern: 'crash',
      match_type: 'contains',
      crew: 'web',
      assignee: 'bob',
      project: 'Relaunch',
      priority: 'high',
    },
  }),
]

export const values = {
  DEPLOY_TOKEN: 'a secret',
  CHANNEL_OPS: 'what signs it',
  CHANNEL_CHAT: 'slack://hook:T00000000-B00000000-abcdefghijklmnopqrstuvwx@webhook',
}

/** Applies documents, or with `dry_run` shows what would be done. */
export const apply = (it: TestDaemon, documents: Json[], body: Json = {}, query = '') =>
  it.call('OWNER', 'POST', `/workspaces/${it.workspace}/apply${query}`, { documents, ...body })

export const exported = async (it: TestDaemon): Promise<Json[]> =>
  (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/export`)).body.documents
