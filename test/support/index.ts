import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import { endpoints } from '#contract'
import type { Entry } from '#contract/entries'
import { type Code, problems } from '#contract/problems'
import type { Role } from '#contract/roles'
import { type App, createApp } from '#kernel/app'
import { hashToken, newToken } from '#kernel/auth/authenticator'
import { type Config, loadConfig } from '#kernel/config'
import { register } from '#kernel/dispatch'
import type { Feature } from '#kernel/feature'
import { createServer } from '#kernel/http/operations'
import { newId } from '#kernel/ids'
import type { SealFile } from '#kernel/journal/seal-file'
import { createLog } from '#kernel/log'
import { createThreadReads } from '#kernel/store/reads'
import { createVault } from '#kernel/store/vault'
import { features } from '../../daemon/features/index.ts'
import { scrubCalls } from '../../daemon/runtime/runs/secrets.ts'
import { vendorSettings } from '../../daemon/vendor-settings.ts'
import { checkAfterEach, ending, endingOfFile } from './endings.ts'
import { watchFacts } from './facts.ts'
import { migrations, openMigrated } from './migrated.ts'
import { readerProgram } from './reader.ts'

export { migrations }

const undeclared: string[] = []
const unfit: string[] = []
/** What the kernel itself may answer on any endpoint. */
const always = new Set<string>([
  'no_credentials',
  'session_invalid',
  'session_expired',
  'session_revoked',
  'step_up_required',
  'two_factor_required',
  'origin_rejected',
  'host_rejected',
  'internal_token_rejected',
  'invalid_json',
  'invalid_field',
  'missing_field',
  'workspace_required',
  'no_workspace',
  'not_a_member',
  'insufficient_role',
  'insufficient_scope',
  'dry_run_unsupported',
  'method_not_allowed',
  'body_over_limit',
  'body_too_large',
  'unsupported_media_type',
  'rate_limited',
  'storage_full',
  'storage_unavailable',
])

checkAfterEach(() => {
  expect(undeclared.splice(0), 'problems missing from the contract').toEqual([])
  expect(unfit.splice(0), 'facts that are not as declared').toEqual([])
})

/** Closes something when the test ends. */
export function closing<T extends { close(): unknown }>(it: T): T {
  ending(() => it.close())
  return it
}

/** A clock that stands still until it is moved. */
export function fixedClock(at = '2026-01-01T00:00:00.000Z') {
  let now = Date.parse(at)
  return Object.assign(() => now, { advance: (ms: number) => (now += ms) })
}

export interface Person {
  userId: string
  email: string
  role: Role
  token: string
  workspace: string
}

export interface TestDaemon {
  app: App
  http: FastifyInstance
  clock: ReturnType<typeof fixedClock>
  /** The workspace that `as` roles belong to. */
  workspace: string
  /** A member of the workspace with this role; the same person each time. */
  person(role: Role): Person
  /** A member of a workspace of its own, a stranger to `workspace`. */
  stranger(): Person
  /** A request as that person (null: nobody), within the person's workspace. */
  call(
    who: Person | Role | null,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
  /** Entries of this workspace (`workspace` when none is named), oldest first. */
  entries(of?: string): Entry[]
}

export interface Answer {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  // biome-ignore lint/suspicious/noExplicitAny: a test states the shape that it expects
  body: any
  text: string
}

interface Options {
  config?: Partial<Config>
  /** A database file instead of memory. */
  file?: string
  clock?: ReturnType<typeof fixedClock>
  /** What goes on while the clock jumps; the clock itself when absent. */
  steady?: ReturnType<typeof fixedClock>
  withVault?: boolean
  /** Where the journal's head is sealed; nowhere unless given. */
  seals?: SealFile
  /** As a fresh installation: no workspace, nobody. */
  empty?: boolean
  /** Other operations than Muster's own. */
  features?: Record<string, Feature>
  /** The test makes something fail on purpose: nothing is logged. */
  quiet?: boolean
  /** Lives until the tests of the file are over, for tests that change nothing. */
  shared?: boolean
}

/** A whole daemon in memory: real SQLite, real routes, no socket. */
export async function daemon(options: Options = {}): Promise<TestDaemon> {
  const {
    config = {},
    file = ':memory:',
    clock = fixedClock(),
    withVault = true,
    empty = false,
    quiet = false,
  } = options
  const db = openMigrated(file)
  const { config: base } = loadConfig({
    env: { XDG_CONFIG_HOME: '/nonexistent', SVC_ENV: 'test', SVC_DATA_DIR: '/nonexistent' },
    vendor: vendorSettings,
  })
  const log = createLog({ level: quiet ? 'silent' : 'error', format: 'text' })
  const app = createApp({
    config: { ...base, rateLimitDisabled: true, ...config, vendor: { ...base.vendor, ...config.vendor } },
    db,
    log,
    vault: withVault ? createVault(randomBytes(32)) : null,
    seals: options.seals,
    clock,
    ...(options.steady && { steady: options.steady }),
    ...(file !== ':memory:' && { reads: createThreadReads(db, log, readerProgram()) }),
  })
  watchFacts(app, (fault) => unfit.push(fault))
  scrubCalls(app)
  register(app, options.features ?? features)
  const http = createServer(app)
  http.addHook('onError', async (request, _reply, error) => {
    const { operation } = request.routeOptions.config
    const { code } = error as { code?: string }
    if (
      operation &&
      code &&
      code in problems &&
      !always.has(code) &&
      !operation.endpoint.throws?.includes(code as Code)
    )
      undeclared.push(`${operation.name} threw ${code}`)
  })
  const whenOver = options.shared ? endingOfFile : ending
  whenOver(async () => {
    app.stopping.abort()
    await http.close()
    await app.mailer.close(0)
    await app.outbound.close()
    await app.idle()
    await app.seals.close()
    await app.reads.close()
    db.close()
  })

  const workspace = newId(clock())
  const people = new Map<string, Person>()
  const enter = (role: Role, into: string) => addPerson(app, role, into)
  if (!empty) app.writeNow(() => addWorkspace(app, workspace, { home: true }))

  const person = (role: Role): Person => {
    const known = people.get(role)
    if (known) return known
    const made = app.writeNow(() => enter(role, workspace))
    people.set(role, made)
    return made
  }

  return {
    app,
    http,
    clock,
    workspace,
    person,
    stranger: () =>
      app.writeNow(() => {
        const own = newId(clock())
        addWorkspace(app, own)
        return enter('OWNER', own)
      }),
    async call(who, method, path, body, headers = {}) {
      const caller = typeof who === 'string' ? person(who) : who
      const reply = await http.inject({
        method: method as 'GET',
        url: standsAlone(path) ? path : `/api/v1${path}`,
        headers: {
          host: 'localhost',
          ...(caller && { authorization: `Bearer ${caller.token}`, 'x-workspace-id': caller.workspace }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = reply.payload
      return { status: reply.statusCode, headers: reply.headers, text, body: parsed(text) }
    },
    entries: (of = workspace) =>
      db
        .prepare<[], { doc: string }>('SELECT doc FROM journal ORDER BY seq')
        .all()
        .map(({ doc }) => JSON.parse(doc) as Entry)
        .filter((entry) => entry.workspace_id === of),
  }
}

const roots = endpoints
  .filter(({ endpoint }) => endpoint.root)
  .map(({ endpoint }) => new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}(?:\\?|$)`))
const standsAlone = (path: string) => path.startsWith('/api/') || roots.some((root) => root.test(path))

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function addWorkspace({ db, now }: App, id: string, { home = false } = {}): void {
  db.prepare('INSERT INTO workspaces (id, name, slug, home, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)').run(
    id,
    'Test',
    `test-${id.slice(-8)}`,
    home ? 1 : 0,
    now(),
    now(),
  )
}

/** Adds a user with a membership and a token; within a change. */
export function addPerson(
  { db, now, clock }: App,
  role: Role,
  workspace: string,
  token: { tier?: string; scopes?: string[] } = {},
): Person {
  const userId = newId(clock())
  const email = `${role.toLowerCase()}-${userId.slice(-6)}@example.com`
  const raw = newToken('STANDARD')
  db.prepare('INSERT INTO users (id, email, full_name, created_at, updated_at) VALUES (?, ?, ?, ?, ?)').run(
    userId,
    email,
    `The ${role}`,
    now(),
    now(),
  )
  db.prepare(
    'INSERT INTO workspace_members (id, workspace_id, user_id, role, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(newId(clock()), workspace, userId, role, now(), now())
  db.prepare(
    'INSERT INTO cli_tokens (id, user_id, name, token_hash, tier, scopes_json, created_at) VALUES (?, ?, ?, ?, ' +
      '?, ?, ?)',
  ).run(
    newId(clock()),
    userId,
    'test',
    hashToken(raw, null),
    token.tier ?? 'STANDARD',
    token.scopes ? JSON.stringify(token.scopes) : null,
    now(),
  )
  return { userId, email, role, token: raw, workspace }
}
