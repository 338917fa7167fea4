import { describe, expect, it } from 'vitest'
import { daemon, type Person, type TestDaemon } from '#test'
import { browser, knownPassword, quickHash } from '../../../support/browser.ts'
import { formWith } from '../../../support/form.ts'
import { pictures } from '../../../support/pictures.ts'

/** Tables that hold something about a user, and the member of the export that tells it. */
const exported: Record<string, string> = {
  users: 'profile',
  user_avatars: 'avatar',
  user_preferences: 'preferences',
  notification_hours: 'notification_hours',
  workspace_members: 'memberships',
  crew_members: 'crew_memberships',
  user_sessions: 'sessions',
  cli_tokens: 'cli_tokens',
  cli_token_uses: 'cli_token_uses',
  cli_pairings: 'pairings',
  linked_accounts: 'linked_accounts',
  verification_tokens: 'mailed_links',
  workspace_invitations: 'invitations_sent',
  peer_cards: 'peer_cards',
  room_members: 'rooms',
}
/** Tables that are left out, and why. */
const excused: Record<string, string> = {
  totp_secrets: 'the secret of the second factor; since when there is one is in `profile`',
  recovery_codes: 'hashes of secrets',
  room_requests: 'ids of requests that were made in rooms',
  chat_read_cursors: 'of the conversations, which belong to their workspaces',
  chat_participants: 'of the conversations, which belong to their workspaces',
  chat_sends: 'of the conversations, which belong to their workspaces',
  message_reactions: 'of the conversations, which belong to their workspaces',
  inbox_item_reads: 'of the inbox, which belongs to its workspace',
  shells: 'terminals that are open now; who opened them is in the journal, which belongs to its workspace',
  inbox_read_counts: 'counts of `inbox_item_reads`',
  user_notification_prefs: 'of channels, which belong to their workspaces',
  notification_deliveries: 'the log of a workspace; what was told to the person is in their notifications',
  notification_channels: 'of workspaces; what one has of one’s own is listed there, but for its secrets',
  notifications: 'what others did, as the person was told; it is read and deleted there',
  routine_runs: 'of routines of a workspace; who asked for one is in the journal, which belongs to its workspace',
  journal_erasures: 'of a workspace; that it was done stays in the journal, which belongs to its workspace',
  oauth_states: 'sign-ins that have begun, a quarter of an hour each',
  file_versions: 'of files of crews; who saved one is in the journal, which belongs to its workspace',
}

const get = (it: TestDaemon, who: Person) => it.call(who, 'GET', '/users/me/export')

/** Somebody who has left something everywhere. */
async function busy() {
  const it = await daemon()
  const ada = it.person('ADMIN')
  const { db } = it.app
  const put = (table: string, row: Record<string, unknown>) =>
    db
      .prepare(`INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row).map(() => '?')})`)
      .run(...Object.values(row))
  db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, ada.userId)
  const web = browser(it)
  await web.signIn(ada.email, knownPassword)
  const { type, body } = formWith(pictures.png)
  const authorization = `Bearer ${ada.token}`
  await it.http.inject({
    method: 'POST',
    url: '/api/v1/users/me/avatar',
    headers: { host: 'localhost', authorization, 'content-type': type },
    payload: body,
  })
  await it.call(ada, 'PUT', '/me/preferences/theme', { dark: true })
  await it.call(ada, 'PUT', '/me/preferences/__proto__', { admin: true })
  const hours = await it.call(ada, 'PUT', '/me/notification-hours', { digest_at: '08:30', urgent_waits: true })
  expect(hours.status).toBe(200)
  await it.call(ada, 'POST', '/auth/pair/start', { adapter_hint: 'CLAUDE' })
  await it.call(ada, 'POST', `/workspaces/${it.workspace}/invitations`, { email: 'eve@example.com', role: 'MEMBER' })
  await it.call('OWNER', 'POST', '/crews', { name: 'Builders', slug: 'builders' })
  const crew = db.prepare('SELECT id FROM crews').pluck().get()
  const now = it.app.now()
  put('crew_members', {
    id: 'm1',
    crew_id: crew,
    user_id: ada.userId,
    role: 'MANAGER',
    created_at: now,
    updated_at: now,
  })
  const agent = (await it.call('OWNER', 'POST', '/agents', { name: 'Grace', slug: 'grace' })).body.id
  put('peer_cards', {
    id: 'p1',
    workspace_id: it.workspace,
    agent_id: agent,
    user_id: ada.userId,
    content: 'Likes tests',
    created_at: now,
    updated_at: now,
  })
  const room = { kind: 'group', title: 'Release', client_id: 'r' }
  const { id: conversation } = (await it.call(ada, 'POST', '/conversations', room)).body
  await it.call(ada, 'POST', `/conversations/${conversation}/messages`, { content: 'Said by me', client_id: 'm' })
  const token = db.prepare('SELECT id FROM cli_tokens WHERE user_id = ?').pluck().get(ada.userId)
  const link = {
    provider: 'https://idp.example',
    provider_account_id: '42',
    email: 'ada@idp.example',
    created_at: now,
    last_used_at: now,
  }
  put('linked_accounts', { id: 'l1', user_id: ada.userId, ...link })
  put('cli_token_uses', {
    id: 'u1',
    token_id: token,
    used_at: now,
    remote_addr: '192.0.2.7',
    user_agent: 'curl',
    path: '/x',
  })
  put('verification_tokens', {
    id: 't1',
    user_id: ada.userId,
    token_hash: 'hash-of-a-link',
    purpose: 'password_reset',
    created_at: now,
    expires_at: now,
  })
  const other = it.stranger()
  put('workspace_invitations', {
    id: 'i1',
    workspace_id: other.workspace,
    email: ada.email,
    role: 'MEMBER',
    invited_by: other.userId,
    token_hash: 'hash-of-an-invitation',
    created_at: now,
    expires_at: now,
  })
  return { it, ada, other, crew, token, web }
}

describe('users.export', () => {
  it('tells everything that is stored of an account', async () => {
    const { it: server, ada, other, crew, token } = await busy()
    const { status, body, headers } = await get(server, ada)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-disposition': 'attachment; filename="muster-personal-data.json"',
    })
    expect(Object.entries(body.preferences)).toContainEqual(['__proto__', { admin: true }])
    expect(body).toMatchObject({
      format: 'muster-personal-data-1',
      exported_at: server.app.now(),
      profile: {
        id: ada.userId,
        email: ada.email,
        full_name: 'The ADMIN',
        has_password: true,
        onboarding_completed: false,
        two_factor_at: null,
      },
      avatar: { media_type: 'image/png', bytes: pictures.png.length, base64: pictures.png.toString('base64') },
      preferences: { theme: { dark: true } },
      notification_hours: { time_zone: 'UTC', quiet_from: null, digest_at: '08:30', urgent_waits: true },
      memberships: [{ workspace_id: server.workspace, workspace_name: 'Test', role: 'ADMIN', capabilities: null }],
      crew_memberships: [{ crew_id: crew, crew_name: 'Builders', role: 'MANAGER' }],
      sessions: [{ ip: '127.0.0.1', user_agent: 'lightMyRequest', revoked_at: null }],
      cli_tokens: [{ id: token, name: 'test', tier: 'STANDARD', scopes: null }],
      cli_token_uses: { total: 1, newest: [{ token_id: token, remote_addr: '192.0.2.7' }] },
      linked_accounts: [{ provider: 'https://idp.example', provider_account_id: '42', email: 'ada@idp.example' }],
      pairings: [{ status: 'pending', adapter_hint: 'CLAUDE' }],
      mailed_links: [{ purpose: 'password_reset' }],
      invitations_received: [{ workspace_id: other.workspace, role: 'MEMBER', status: 'live' }],
      invitations_sent: [{ email: 'eve@example.com', role: 'MEMBER' }],
      peer_cards: [{ agent_name: 'Grace', content: 'Likes tests' }],
      rooms: [{ kind: 'group', title: 'Release', role: 'owner', last_read_seq: 0 }],
      room_messages: { total: 1, newest: [{ seq: 1, content: 'Said by me' }] },
    })
  })

  it('holds no hash and no secret', async () => {
    const { it: server, ada, web } = await busy()
    const { text } = await get(server, ada)
    expect(text).not.toMatch(/\$2b\$|svc_cli_/)
    // Names of members alone: an id is random and may hold any letters.
    expect(text).not.toMatch(/"[^"]*(hash|jti)[^"]*":/)
    expect(text).not.toContain(knownPassword)
    for (const { value } of web.jar.values()) expect(text).not.toContain(value)
    const { db } = server.app
    const stored = [
      ...db
        .prepare(
          'SELECT token_hash FROM cli_tokens UNION SELECT token_hash FROM workspace_invitations UNION SELECT ' +
            'code_hash FROM cli_pairings',
        )
        .pluck()
        .all(),
      ...db.prepare('SELECT current_refresh_jti FROM user_sessions').pluck().all(),
    ] as string[]
    expect(stored.length).toBeGreaterThan(4)
    for (const secret of stored) expect(text).not.toContain(secret)
  })

  it('tells nothing of others', async () => {
    const { it: server, ada, other } = await busy()
    const { body, text } = await get(server, other)
    expect(body).toMatchObject({
      avatar: null,
      preferences: {},
      crew_memberships: [],
      sessions: [],
      pairings: [],
      invitations_received: [],
    })
    expect(body.invitations_sent).toMatchObject([{ email: ada.email }])
    expect(text).not.toContain(ada.userId)
  })

  it('asks a browser for the second factor once it was not shown lately, as a new password does', async () => {
    const { it: server, ada, web } = await busy()
    expect((await web.call('GET', '/users/me/export')).status).toBe(200)
    server.app.db.prepare('UPDATE users SET two_factor_at = ? WHERE id = ?').run(server.app.now(), ada.userId)
    const answers = [
      await web.call('GET', '/users/me/export'),
      await web.call('POST', '/users/me/password', {
        current_password: knownPassword,
        new_password: 'heron orchard 7',
      }),
    ]
    expect(answers.map(({ body }) => body.code)).toEqual(['step_up_required', 'step_up_required'])
    expect((await get(server, ada)).status).toBe(200)
  })

  it('draws on the strict bucket', async () => {
    const { call } = await daemon({ config: { rateLimitDisabled: false, authPerMinute: 1 } })
    expect([
      (await call('VIEWER', 'GET', '/users/me/export')).status,
      (await call('VIEWER', 'GET', '/users/me/export')).status,
    ]).toEqual([200, 429])
  })

  it('leaves out no table that speaks of a user, unless there is a reason', async () => {
    const { it: server, ada } = await busy()
    const { db } = server.app
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[]
    const columns = db.prepare('SELECT name FROM pragma_table_info(?)').pluck()
    const refers = db
      .prepare(`SELECT count(*) FROM pragma_foreign_key_list(?) WHERE "table" IN ('users', 'cli_tokens')`)
      .pluck()
    const personal = tables.filter((table) => columns.all(table).includes('user_id') || refers.get(table))
    expect(personal.filter((table) => !exported[table] && !excused[table])).toEqual([])
    const { body } = await get(server, ada)
    const empty = [...personal, 'users'].flatMap((table) => {
      const told = exported[table] && body[exported[table]]
      return excused[table] || (told && Object.keys(told).length > 0) ? [] : [table]
    })
    expect(empty, 'nothing is told of a table that has rows').toEqual([])
  })
})
