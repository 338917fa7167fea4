import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract'
import type { Endpoint } from '#contract/define'
import { problems } from '#contract/problems'
import { roles } from '#contract/roles'
import { openapi } from '#kernel/http/openapi'
import { daemon, type TestDaemon } from '#test'
import { requestApproval } from '../../daemon/features/approvals/service.ts'
import { propose } from '../../daemon/features/consolidate/service.ts'
import { openWaitpoint } from '../../daemon/features/waitpoints/service.ts'
import { formWith } from '../support/form.ts'
import { hostileText, inputs, type Names, named, type Schema } from '../support/inputs.ts'
import { pictures } from '../support/pictures.ts'

/** Requests for each endpoint; more with FUZZ_RUNS, others with FUZZ_SEED. */
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 40)
const seed = Number(process.env['FUZZ_SEED'] ?? 20261120)

interface Described {
  parameters: { name: string; in: 'path' | 'query' | 'header'; schema: Schema }[]
  /** No JSON where a file is sent. */
  requestBody?: { content: { 'application/json'?: { schema: Schema } } }
}
const document = openapi() as { paths: Record<string, Record<string, Described>> }
const pathOf = ({ root, path }: Endpoint) => `${root ? '' : '/api/v1'}${path.replace(/:(\w+)/g, '{$1}')}`

/** Names that answers have shown, so that most guesses hit something. */
const names: Names = new Map()
const singular = (word: string) => word.replace(/ies$/, 'y').replace(/s$/, '')
function remember(value: unknown, about: string): void {
  if (typeof value !== 'object' || value === null) return
  for (const [member, held] of Object.entries(value)) {
    if (typeof held !== 'string') remember(held, Array.isArray(value) ? about : singular(member))
    else if (held && /^id$|_id$|^key$/.test(member)) {
      const what = member === 'id' ? about : named(member)
      const known = names.get(what) ?? []
      if (known.length < 50 && !known.includes(held)) names.set(what, [...known, held])
    }
  }
}

const { body: picture, type: pictureType } = formWith(pictures.png)

const placed = new Set(
  endpoints.flatMap(({ endpoint }) => [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => named(name!))),
)
/** What an answer speaks of: the last noun of the path when some path takes its id, as `member`, else the feature. */
function subject(feature: string, { path }: Endpoint): string {
  const noun = singular(path.split('/').findLast((part) => !part.startsWith(':'))!)
  return placed.has(noun) ? noun : singular(feature)
}

const text = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
/** As an address can carry it: half a character cannot be written there. */
const escaped = (value: unknown): string => encodeURIComponent(text(value).replace(/\p{Surrogate}/gu, '\ufffd'))

function requests(endpoint: Endpoint, workspace: string) {
  const { parameters, requestBody } = document.paths[pathOf(endpoint)]![endpoint.method.toLowerCase()]!
  const schema = requestBody?.content['application/json']?.schema
  const broken = fc.constantFrom('', '{', '[]', 'null', '{"__proto__":{"x":1}}', '\u0000')

  const inMood = (mood: 'polite' | 'hostile') => {
    const { value, nameOf, maybe } = inputs(mood, names)
    const places = parameters
      .filter((it) => it.in === 'path')
      .map(({ name }) => [
        name,
        name === 'workspaceId' ? fc.constant(workspace) : maybe(nameOf(named(name)), hostileText),
      ])
    const asked = parameters.filter((it) => it.in === 'query' && !['workspace_id', 'dry_run'].includes(it.name))
    const query = asked.map((it) => [
      it.name,
      value(it.schema, it.name).chain((one) => maybe(fc.constant([one]), fc.constant([one, one]))),
    ])
    return fc.record({
      places: fc.record(Object.fromEntries(places) as Record<string, fc.Arbitrary<unknown>>),
      query: fc
        .subarray(query, { maxLength: mood === 'polite' ? Math.min(2, query.length) : query.length })
        .chain((some) => fc.record(Object.fromEntries(some) as Record<string, fc.Arbitrary<unknown>>)),
      payload: endpoint.upload
        ? maybe(fc.constant(picture), fc.oneof(broken, fc.uint8Array().map(Buffer.from)))
        : schema
          ? maybe(
              value(schema).map((body) => JSON.stringify(body)),
              broken,
            )
          : fc.constant(undefined),
    })
  }
  return fc.oneof(inMood('polite'), inMood('hostile')).map(({ places, query, payload }) => {
    const path = pathOf(endpoint).replace(/\{(\w+)\}/g, (_, name: string) => escaped(places[name]) || '%20')
    const pairs = Object.entries(query).flatMap(([name, values]) =>
      (values as unknown[]).map((value) => `${name}=${escaped(value)}`),
    )
    return { url: pairs.length ? `${path}?${pairs.join('&')}` : path, payload: payload as string | Buffer | undefined }
  })
}

/** What makes things comes first, what removes them last. */
const early = ['members.list', 'crews.create', 'credentials.create', 'agents.create', 'chats.create']
const turn = ({ name, endpoint }: (typeof endpoints)[number]) => {
  if (early.includes(name)) return early.indexOf(name) - early.length
  // These may end the rights that all of this is done with.
  const late = ['members.transfer', 'tokens.rotate', 'tokens.revoke'].indexOf(name)
  return late >= 0 ? late + 2 : endpoint.method === 'DELETE' ? 1 : 0
}
const inTurn = [...endpoints].sort((a, b) => turn(a) - turn(b))

/** A workspace where something goes on: people of every role, strangers who invite its owner. */
async function populated() {
  const made = await daemon({ shared: true, config: { publicUrl: 'https://muster.example', allowSignup: true } })
  const { email } = made.person('OWNER')
  for (const role of roles) made.person(role)
  for (let n = 0; n < 4; n++) {
    const host = made.stranger()
    remember({ user_id: host.userId }, '')
    const invited = await made.call(host, 'POST', `/workspaces/${host.workspace}/invitations`, { email })
    remember({ invitation_id: invited.body.id }, '')
  }
  for (let n = 0; n < 8; n++) await somethingToDecide(made, n)
  const secret = await made.call('OWNER', 'POST', '/credentials', { name: 'stored', value: 'x' })
  remember({ credential_id: secret.body.id }, '')
  return made
}

/** Questions of an agent, a request and work that wait for people. */
async function somethingToDecide({ app, workspace, call }: TestDaemon, n: number): Promise<void> {
  const crew = (await call('OWNER', 'POST', '/crews', { name: `Asking ${n}`, slug: `asking-${n}` })).body.id
  const agent = (await call('OWNER', 'POST', '/agents', { name: `Asks ${n}`, slug: `asks-${n}`, crew_id: crew })).body
    .id
  const inside = { 'x-internal-token': app.internalTokens.ofCrew(workspace, crew) }
  const question = { workspace_id: workspace, crew_id: crew, agent_id: agent, reason: 'May I?' }
  const { body } = await call(null, 'POST', '/internal/escalations', question, inside)
  const now = app.now()
  const asked = {
    workspace,
    by: agent,
    kind: 'custom' as const,
    reason: 'May I?',
    payload: {},
    card: { title: 'May I?' },
    now,
  }
  const approval_id = app.writeNow(() => requestApproval(app, asked))
  const { id } = app.writeNow(() => openWaitpoint(app, { workspace, kind: 'approval', prompt: 'Go on?', now }))
  const other = (await call('OWNER', 'POST', '/crews', { name: `Other ${n}`, slug: `other-${n}` })).body.id
  const hook = { type: 'webhook', url: 'https://hooks.invalid/notices' }
  const channel_id = (await call('OWNER', 'POST', '/notification-channels', hook)).body.id
  const proposal_id = app.writeNow(() =>
    propose(app, {
      crew: { id: crew, workspace_id: workspace, slug: `asking-${n}`, name: `Asking ${n}` },
      rules: [{ pattern: 'Deploys', action: 'Wait for Tuesday', evidence: ['a', 'b'], confidence: 1 }],
      entriesScanned: 2,
      model: 'test',
      actor: { actor_type: 'system' },
      now,
    }),
  )
  remember({ channel_id, proposal_id }, '')
  const ends = { from_crew_id: crew, to_crew_id: other }
  const connection_id = (await call('OWNER', 'POST', '/crew-connections', ends)).body.id
  remember({ escalation_id: body.escalation_id, approval_id, token_id: id, crew_id: crew, agent_id: agent }, '')
  remember({ ...ends, connection_id }, '')
}
const common = populated()
const succeeded = new Set<string>()

describe.each(inTurn)('$name', ({ name, feature, endpoint }) => {
  it('takes anything without a fault', async () => {
    const { http, workspace, person } = await common
    const owner = person('OWNER')
    const conforms = endpoint.reply && !endpoint.kind ? Compile(endpoint.reply) : null
    const declared = (endpoint.throws ?? []).filter((code) => problems[code][0] > 500)

    const property = fc.asyncProperty(requests(endpoint, workspace), async ({ url, payload }) => {
      const headers = {
        host: 'localhost',
        authorization: `Bearer ${owner.token}`,
        'x-workspace-id': workspace,
        ...(payload !== undefined && { 'content-type': endpoint.upload ? pictureType : 'application/json' }),
      }
      const answer = await http.inject({
        method: endpoint.method,
        url,
        headers,
        ...(payload !== undefined && { payload }),
        ...(endpoint.kind === 'stream' && { payloadAsStream: true }),
      })
      if (endpoint.kind === 'stream' && answer.statusCode < 300) {
        answer.stream().destroy()
        return
      }
      const body = parsed(endpoint.kind === 'stream' ? await whole(answer.stream()) : answer.payload)
      if (answer.statusCode >= 500) expect(declared, JSON.stringify(body)).toContain((body as { code: string }).code)
      if (answer.statusCode >= 300 && answer.statusCode !== endpoint.status) return
      succeeded.add(name)
      remember(body, subject(feature, endpoint))
      if (conforms)
        expect([...conforms.Errors(body)].map(({ instancePath, message }) => `${instancePath} ${message}`)).toEqual([])
    })
    await fc.assert(property, { numRuns, seed })
    // Some endpoints hash a password for each request, which takes its time on a busy machine.
  }, 120_000)
})

/** What opens to a secret alone: a password, a code, a link, a cookie. */
const secretive = [
  'accounts.reset',
  'idp.callback',
  'oauth.callback',
  'oauth.exchange',
  'pairing.redeem',
  'sessions.confirm',
  'sessions.create',
  'sessions.refresh',
  'totp.confirm',
  'totp.remove',
  'totp.renew',
  'totp.start',
  'webhooks.fire',
]

/**
 * What needs an engine, an identity provider, a signature, no users, an issue or a tripwire of that crew, uses of that
 * credential, stages, a path, or the first workspace of the server.
 */
const unequipped = [
  'backup.create',
  'backup.inspect',
  'backup.list',
  'backup.remove',
  'backup.rotate',
  'backup.status',
  'backup.verify',
  'adapters.list',
  'agents.containerFiles',
  'agents.trigger',
  'assignments.cancel',
  'assignments.show',
  'attachments.create',
  'bootstrap.create',
  'chats.react',
  'chats.reactions',
  'chats.send',
  'chats.steer',
  'chats.unreact',
  'checkpoints.create',
  'credentials.decideUse',
  'credentials.endScopes',
  'credentials.enforceScopes',
  'tripwires.rearm',
  'tripwires.remove',
  'tripwires.show',
  'blame.show',
  'checkpoints.diff',
  'checkpoints.files',
  'checkpoints.fork',
  'checkpoints.forkMission',
  'checkpoints.list',
  'checkpoints.remove',
  'checkpoints.restore',
  'checkpoints.rewind',
  'checkpoints.show',
  'crews.logs',
  'crews.start',
  'crews.stop',
  'files.save',
  'idp.redirect',
  'oauth.autoConnect',
  'oauth.client',
  'oauth.discover',
  'oauth.initiate',
  'oauth.loopback',
  'issues.activity',
  'issues.bulk',
  'issues.comment',
  'issues.comments',
  'issues.relate',
  'issues.relations',
  'issues.remove',
  'issues.review',
  'issues.runs',
  'issues.show',
  'issues.start',
  'issues.stop',
  'issues.subtasks',
  'issues.unrelate',
  'issues.update',
  'missions.addTask',
  'missions.clone',
  'missions.create',
  'missions.plan',
  'missions.remove',
  'missions.removeTask',
  'missions.restart',
  'missions.resume',
  'missions.show',
  'missions.start',
  'missions.update',
  'missions.updateTask',
  'automations.create',
  'automations.remove',
  'automations.update',
  'memory.append',
  'memory.content',
  'memory.diff',
  'memory.export',
  'memory.import',
  'memory.list',
  'memory.remove',
  'memory.restore',
  'memory.show',
  'memory.version',
  'memory.versions',
  'memory.write',
  'routines.appearance',
  'routines.approve',
  'routines.cancel',
  'routines.cancelPending',
  'routines.diff',
  'routines.disable',
  'routines.dryRun',
  'routines.enable',
  'routines.export',
  'routines.import',
  'routines.logs',
  'routines.records',
  'routines.reject',
  'routines.remove',
  'routines.replay',
  'routines.result',
  'routines.rollback',
  'routines.run',
  'routines.save',
  'routines.show',
  'routines.signal',
  'routines.test',
  'routines.tree',
  'routines.version',
  'routines.versions',
  'schedules.create',
  'schedules.remove',
  'schedules.run',
  'schedules.update',
  'webhooks.create',
  'webhooks.remove',
  'webhooks.update',
  'runs.receipt',
  'runs.tree',
  'recipes.show',
  'recipes.preview',
  'managed.createTrigger',
  'managed.connect',
  'managed.setSettings',
  'managed.setDefault',
  'managed.grant',
  'managed.revokeAccount',
  'managed.refreshAccount',
  'managed.removeAccount',
  'managed.grants',
  'managed.ungrant',
  'integrations.show',
  'integrations.update',
  'integrations.remove',
  'integrations.ofCrew',
  'integrations.createInCrew',
  'integrations.updateInCrew',
  'integrations.removeInCrew',
  'integrations.bound',
  'integrations.bind',
  'integrations.rebind',
  'integrations.unbind',
  'integrations.resolved',
  'integrations.test',
  'integrations.tools',
  'integrations.toolsInCrew',
  'integrations.setTool',
  'integrations.setToolInCrew',
  'integrations.refreshTools',
  'integrations.refreshToolsInCrew',
  'integrations.decideTools',
  'integrations.decideToolsInCrew',
  'integrations.testInCrew',
  'skills.show',
  'skills.import',
  'skills.approve',
  'skills.bulkImport',
  'skills.generate',
  'skills.reject',
  'skills.remove',
  'skills.assign',
  'skills.unassign',
  'templates.show',
  'templates.save',
  'templates.remove',
  'templates.deploy',
  'templates.suggest',
  'workflows.create',
  'workflows.remove',
  'workflows.update',
]

it('got through to most of them', () => {
  const left = [...secretive, ...unequipped]
  const others = endpoints.filter(
    ({ name, endpoint }) => !left.includes(name) && endpoint.kind !== 'stream' && endpoint.access !== 'internal',
  )
  const never = others.filter(({ name }) => !succeeded.has(name)).map(({ name }) => name)
  expect(never.length, `never succeeded: ${never.join(', ')}`).toBeLessThan(others.length / 5)
})

it('guessed no secret', () => expect(secretive.filter((name) => succeeded.has(name))).toEqual([]))

async function whole(stream: AsyncIterable<Buffer>): Promise<string> {
  let read = ''
  for await (const chunk of stream) read += chunk
  return read
}

function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload)
  } catch {
    return undefined
  }
}
