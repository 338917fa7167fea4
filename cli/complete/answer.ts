import { type Connection, createConnection } from '#client'
import { builtInTemplates, issueStatuses, listedProviders, missionStatuses, workPriorities } from '#client/words'
import type { AskForm } from '#contract/ask-forms'
import { readContexts } from '../contexts/file.ts'
import { resolveSession } from '../contexts/session.ts'
import { requireOwnSocket } from '../local/owner.ts'
import type { Registry } from '../main.ts'
import { cleanLine } from '../output/clean.ts'
import { configFile } from '../paths.ts'
import { complete, type Offer, type Source } from './complete.ts'
import { keyOf, remembered } from './memory.ts'

type Row = Readonly<Record<string, unknown>>

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Lists of the service by the name that arguments and flags have for one of their members. */
const lists: Readonly<Record<string, readonly [path: string, offer: (row: Row) => Offer]>> = {
  crew: ['/api/v1/crews', (row) => ({ value: text(row['slug']), about: text(row['name']) })],
  other: ['/api/v1/crews', (row) => ({ value: text(row['slug']), about: text(row['name']) })],
  agent: ['/api/v1/agents', (row) => ({ value: text(row['slug']), about: text(row['name']) })],
  subject: ['/api/v1/agents', (row) => ({ value: text(row['slug']), about: text(row['name']) })],
  credential: ['/api/v1/credentials', (row) => ({ value: text(row['name']), about: text(row['type']) })],
  label: ['/api/v1/labels', (row) => ({ value: text(row['name']), about: text(row['label_group']) })],
  project: ['/api/v1/projects', (row) => ({ value: text(row['slug']), about: text(row['name']) })],
  workspace: ['/api/v1/workspaces', (row) => ({ value: text(row['slug']), about: text(row['name']) })],
  run: ['/api/v1/runs?limit=50', (row) => ({ value: text(row['id']), about: text(row['status']) })],
  member: [
    '/api/v1/workspaces/:workspace/members',
    (row) => ({ value: text((row['user'] as Row | undefined)?.['email']), about: text(row['role']) }),
  ],
  item: ['/api/v1/inbox?state=active&limit=50', (row) => ({ value: text(row['id']), about: text(row['title']) })],
  items: ['/api/v1/inbox?state=active&limit=50', (row) => ({ value: text(row['id']), about: text(row['title']) })],
  link: ['/api/v1/users/me/linked-accounts', (row) => ({ value: text(row['id']), about: text(row['email']) })],
  token: ['/api/v1/auth/cli-tokens', (row) => ({ value: text(row['id']), about: text(row['name']) })],
  issue: ['/api/v1/issues?limit=100', (row) => ({ value: text(row['identifier']), about: text(row['title']) })],
  mission: [
    '/api/v1/missions?mission_type=orchestration&limit=100',
    (row) => ({ value: text(row['title']), about: text(row['status']) }),
  ],
  room: [
    '/api/v1/conversations',
    (row) => ({ value: text(row['title']) || text(row['id']), about: text(row['kind']) }),
  ],
  rule: ['/api/v1/triage-rules', (row) => ({ value: text(row['name']), about: text(row['pattern']) })],
  plan: ['/api/v1/templates', (row) => ({ value: text(row['name']), about: text(row['description']) })],
  'crew-template': ['/api/v1/crew-templates', (row) => ({ value: text(row['slug']), about: text(row['name']) })],
  workflow: ['/api/v1/workflow-templates', (row) => ({ value: text(row['name']), about: text(row['description']) })],
}

/** Other names of what is listed, for the commands of a topic or for all. */
const also: Readonly<Record<string, string>> = {
  assignee: 'agent',
  lead: 'agent',
  'reassign-to': 'agent',
  labels: 'label',
  issues: 'issue',
  parent: 'issue',
  'issues other': 'issue',
  'plans template': 'plan',
  'missions workflow-template': 'plan',
  'workflows template': 'workflow',
}

/** Words that are the same everywhere. */
const words: Readonly<Record<string, readonly string[]>> = {
  'issues status': issueStatuses,
  'issues priority': workPriorities,
  'missions status': missionStatuses,
  template: builtInTemplates,
}

/** What is found otherwise. */
const found = new Set(['chat', 'field', 'form', 'model'])

const source: Source = async (asked, given, topic) => {
  const name = also[`${topic} ${asked}`] ?? also[asked] ?? asked
  if (`${topic} ${name}` === 'issues template') return templatesHere()
  const known = words[`${topic} ${name}`] ?? words[name]
  if (known) return known.map((value) => ({ value }))
  const file = await readContexts(configFile())
  if (name === 'context') return Object.entries(file.contexts).map(([value, { server }]) => ({ value, about: server }))
  if (!found.has(name) && !lists[name]) return []
  const { server, workspace, context, agent, form } = given
  const session = resolveSession(
    { ...(server && { server }), ...(workspace && { workspace }), ...(context && { context }) },
    process.env,
    file,
  )
  const key = keyOf(session.target.key, session.token, session.workspace, name, agent, form)
  return remembered(key, (timeout) => {
    const connection = createConnection({
      ...session,
      server: session.target,
      timeout,
      guard: () => requireOwnSocket(session),
    })
    return fetched(connection, name, { agent, form, workspace: session.workspace })
  })
}

/** Issue templates of the project. Reading them takes YAML, which other words do without. */
async function templatesHere(): Promise<Offer[]> {
  const { issueTemplates } = await import('../issues/template.ts')
  return issueTemplates().map((value) => ({ value }))
}

async function fetched(
  connection: Connection,
  name: string,
  { agent, form, workspace }: Record<'agent' | 'form' | 'workspace', string | undefined>,
): Promise<Offer[]> {
  if (name === 'chat') return agent ? chatsOf(connection, agent) : []
  if (name === 'model') return modelsOf(connection)
  if (name === 'form' || name === 'field') {
    const forms = agent ? await formsOf(connection, agent) : []
    return name === 'form' ? forms.map(({ id, label }) => ({ value: id, about: label })) : fieldsOf(forms, form)
  }
  const [path, offer] = lists[name]!
  if (path.includes(':workspace') && !workspace) return []
  return (await rowsOf(connection, path.replace(':workspace', encodeURIComponent(workspace ?? '')))).map(offer)
}

async function rowsOf(connection: Connection, path: string): Promise<Row[]> {
  const reply: unknown = JSON.parse(String((await connection.request('GET', path)).body))
  return (Array.isArray(reply) ? reply : (Object.values(reply as object).find(Array.isArray) ?? [])) as Row[]
}

async function modelsOf(connection: Connection): Promise<Offer[]> {
  const known = listedProviders.filter((name) => name !== 'OLLAMA')
  const lists = known.map((name) => rowsOf(connection, `/api/v1/models?provider=${name}`))
  return (await Promise.all(lists)).flat().map((row) => ({ value: text(row['id']), about: text(row['provider']) }))
}

async function agentOf(connection: Connection, agent: string): Promise<Row | undefined> {
  const agents = await rowsOf(connection, `/api/v1/agents?q=${encodeURIComponent(agent)}`)
  return agents.find((row) => row['slug'] === agent || row['id'] === agent)
}

async function formsOf(connection: Connection, agent: string): Promise<AskForm[]> {
  return JSON.parse(text((await agentOf(connection, agent))?.['ask_forms']) || '[]') as AskForm[]
}

const fieldsOf = (forms: AskForm[], form: string | undefined): Offer[] =>
  (forms.find(({ id }) => id === form)?.fields ?? []).flatMap(({ name, label, type }) => [
    { value: `${name}=`, about: label },
    ...(type === 'money' ? [{ value: `${name}_currency=`, about: label }] : []),
  ])

async function chatsOf(connection: Connection, agent: string): Promise<Offer[]> {
  const found = await agentOf(connection, agent)
  const chats = found ? await rowsOf(connection, `/api/v1/agents/${encodeURIComponent(text(found['id']))}/chats`) : []
  return chats.map((row) => ({ value: text(row['id']), about: text(row['title']) }))
}

/**
 * Answers a shell: one line for each word to offer. Says nothing when anything goes wrong: a person is typing. After
 * `--next` a new word begins.
 */
export async function answer([first, ...rest]: string[], registry: Registry): Promise<void> {
  const words = first === '--next' ? [...rest, ''] : first === undefined ? [] : [first, ...rest]
  try {
    const offers = await complete(words, registry, source)
    const shown = offers.filter(({ value }) => value)
    process.stdout.write(shown.map(({ value, about }) => `${cleanLine(value)}\t${cleanLine(about ?? '')}\n`).join(''))
  } catch {
    process.exitCode = 1
  }
}
