import type { Client } from '#client'
import { type Session, workspaceInUse } from '../contexts/session.ts'
import { bareId } from '../decisions/ids.ts'
import { windowed } from '../flags.ts'
import { pages } from '../journal/pages.ts'
import { agentId, crewId } from '../lookup.ts'
import { telling } from '../output/short-id.ts'
import type { Kind } from './find.ts'
import type { IdName } from './names.ts'

/** What else was said on the command line. */
export type Given = Readonly<Record<string, string | undefined>>

export interface Source {
  api: Client
  session: Session
  given: Given
}

interface Numbers {
  /** Nouns of the lists whose row numbers it takes. */
  numbersOf: readonly string[]
  /** What it is not known by is left to the server. */
  lenient?: boolean
}

export type Numbered = Kind<{ id: string }> & Numbers

type RowOf<F extends (...args: never[]) => Promise<readonly unknown[]>> = Awaited<ReturnType<F>>[number]

const kind = <T extends { id: string }>(it: Kind<T> & Numbers): Numbered => it as unknown as Numbered

/** Of things without end the newest are looked at; of others all. */
const newest = 2000
const once =
  <T>(rows: () => Promise<readonly T[]>) =>
  async ({ offset }: { offset: number }): Promise<T[]> =>
    offset ? [] : [...(await rows())]
const all = { all: true }

/** Kinds of things by the name that arguments have for them. */
export const kinds: Readonly<Record<IdName, (source: Source) => Numbered>> = {
  approval: ({ api }) =>
    kind({
      noun: 'approval',
      next: 'muster approvals list --status all',
      numbersOf: ['approvals'],
      rows: once(() =>
        windowed(all, async (query) => (await api.approvals.list({ query: { ...query, status: 'all' } })).rows, 200),
      ),
    }),
  assignment: ({ api }) =>
    kind({
      noun: 'assignment',
      next: 'muster assignments list',
      numbersOf: ['assignments'],
      rows: once(() => assignments(api)),
    }),
  chat: ({ api, given }) =>
    kind<RowOf<typeof chats>>({
      noun: 'chat',
      next: 'muster chats list AGENT',
      numbersOf: ['chats'],
      rows: once(() => chats(api, given['agent'])),
      names: ({ title }) => (title ? [title] : []),
      lenient: true,
    }),
  decision: (source) => decisions(source),
  // It may also be the token of waiting work.
  id: (source) => decisions(source),
  entry: ({ api }) =>
    kind({ noun: 'entry', next: 'muster journal list', numbersOf: ['journal'], rows: once(() => entries(api)) }),
  escalation: ({ api }) =>
    kind({
      noun: 'question',
      next: 'muster escalations list --status all',
      numbersOf: ['escalations', 'inbox'],
      rows: once(() => escalations(api)),
    }),
  item: ({ api }) => items(api),
  items: ({ api }) => items(api),
  link: ({ api }) =>
    kind<RowOf<Client['idp']['links']>>({
      noun: 'linked account',
      next: 'muster account links',
      numbersOf: ['account'],
      rows: once(() => api.idp.links()),
      names: ({ provider, email }) => [provider, email].filter((name) => name !== null),
    }),
  notification: ({ api }) =>
    kind<RowOf<Client['notifications']['list']>>({
      noun: 'notification',
      next: 'muster notifications list',
      numbersOf: ['notifications'],
      rows: once(() => windowed({ limit: newest }, (query) => api.notifications.list({ query }), 100)),
    }),
  port: ({ api, given }) =>
    kind<RowOf<typeof ports>>({
      noun: 'port',
      next: 'muster ports list CREW',
      numbersOf: ['ports'],
      rows: once(async () => ports(api, await crewId(api, given['crew'] ?? ''))),
      names: ({ container_port, status }) => (status.toLowerCase() === 'active' ? [String(container_port)] : []),
    }),
  proposal: ({ api }) =>
    kind({
      noun: 'proposal',
      next: 'muster consolidate proposals --status all',
      numbersOf: ['consolidate', 'inbox'],
      rows: once(() => proposals(api)),
    }),
  request: ({ api }) =>
    kind<RowOf<Client['keeper']['requests']>>({
      noun: 'request',
      next: 'muster keeper requests',
      numbersOf: ['keeper'],
      rows: once(() => windowed({ limit: newest }, (query) => api.keeper.requests({ query }), 200)),
    }),
  room: ({ api }) =>
    kind<RowOf<Client['rooms']['list']>>({
      noun: 'room',
      next: 'muster rooms list',
      numbersOf: ['rooms'],
      rows: once(() => windowed(all, (query) => api.rooms.list({ query }), 200)),
      names: ({ title }) => (title ? [title] : []),
      lenient: true,
    }),
  rotation: ({ api }) =>
    kind({
      noun: 'rotation',
      next: 'muster credentials rotations CREDENTIAL',
      numbersOf: ['credentials'],
      rows: once(() => rotations(api)),
    }),
  'routine-run': ({ api, session }) =>
    kind({
      noun: 'run of a routine',
      next: 'muster routines runs',
      numbersOf: ['routines'],
      rows: async ({ offset }) => {
        const query = { limit: 200, offset }
        return (await api.routines.runs({ workspaceId: workspaceInUse(session), query })).rows
      },
      most: newest,
    }),
  run: ({ api }) =>
    kind({
      noun: 'run',
      next: 'muster runs list',
      numbersOf: ['runs', 'ps'],
      rows: async ({ offset }) => runs(api, offset),
      most: newest,
    }),
  session: ({ api }) =>
    kind({
      noun: 'session',
      next: 'muster sessions list',
      numbersOf: ['sessions'],
      rows: (query) => api.sessions.list({ query }),
      ids: ({ id }) => [id, id.slice(2)],
    }),
  token: ({ api }) =>
    kind({
      noun: 'token',
      next: 'muster tokens list',
      numbersOf: ['tokens'],
      rows: async (query) => (await api.tokens.list({ query })).data,
      names: ({ name, revoked_at }) => (revoked_at ? [] : [name]),
    }),
  workspace: ({ api }) =>
    kind({
      noun: 'workspace',
      next: 'muster workspaces list',
      numbersOf: [],
      rows: (query) => api.workspaces.list({ query }),
      names: ({ slug }) => [slug],
      lenient: true,
    }),
}

const items = (api: Client): Numbered =>
  kind({
    noun: 'item',
    next: 'muster inbox list --state all',
    numbersOf: ['inbox'],
    rows: async (window) => (await api.inbox.list({ query: { ...window, state: 'all' } })).rows,
    ids: ({ id }) => [id, bareId(id), telling(id)],
    most: newest,
    // Of several the service says which it does not know.
    lenient: true,
  })

/** What waits for a person is known by its own id or by that of its inbox item. */
const decisions = ({ api }: Source): Numbered => ({
  ...items(api),
  noun: 'decision',
  next: 'muster inbox list',
  numbersOf: ['inbox', 'approvals', 'escalations', 'waitpoints'],
})

async function runs(api: Client, offset: number): Promise<{ id: string }[]> {
  const found: { id: string }[] = []
  // The service gives at most 100 at once, and counts in pages.
  for (let page = offset / 100 + 1; page <= offset / 100 + 5; page++) {
    const { data } = await api.runs.list({ query: { page, limit: 100 } })
    found.push(...data)
    if (data.length < 100) break
  }
  return found
}

async function entries(api: Client): Promise<{ id: string }[]> {
  const found: { id: string }[] = []
  for await (const page of pages(api, {}, { limit: newest })) found.push(...page.entries)
  return found
}

async function chats(api: Client, agent: string | undefined) {
  const agents = agent
    ? [await agentId(api, agent)]
    : (await windowed(all, (query) => api.agents.list({ query }))).map(({ id }) => id)
  return (
    await Promise.all(agents.map((id) => windowed(all, (query) => api.chats.list({ agentId: id, query }), 100)))
  ).flat()
}

const ports = (api: Client, crew: string) =>
  windowed(all, (query) => api.ports.list({ crewId: crew, query: { ...query, status: 'all' } }))

async function assignments(api: Client) {
  const crews = await windowed(all, (query) => api.crews.list({ query }))
  const lists = crews.map(({ id }) => windowed(all, (query) => api.assignments.list({ crewId: id, query })))
  return (await Promise.all(lists)).flat()
}

async function escalations(api: Client) {
  const crews = await windowed(all, (query) => api.crews.list({ query }))
  const of = (id: string) =>
    windowed(all, (query) => api.escalations.list({ crewId: id, query: { ...query, status: 'all' } }))
  return (await Promise.all(crews.map(({ id }) => of(id)))).flat()
}

async function proposals(api: Client) {
  const fetched = await windowed(
    all,
    async (query) => (await api.consolidate.proposals({ query: { ...query, status: 'all' } })).proposals,
    100,
  )
  return fetched.map(({ proposal_id: id }) => ({ id }))
}

async function rotations(api: Client) {
  const credentials = await windowed(all, (query) => api.credentials.list({ query }))
  const of = (id: string) => windowed(all, (query) => api.credentials.rotations({ credentialId: id, query }))
  return (await Promise.all(credentials.map(({ id }) => of(id)))).flat()
}
