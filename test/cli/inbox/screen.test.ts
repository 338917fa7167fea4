import { describe, expect, it } from 'vitest'
import type { InboxKind } from '#contract/inbox'
import type { Role } from '#contract/roles'
import { problem } from '#kernel/problem'
import { daemon, type TestDaemon } from '#test'
import { itemId, type Mode, type Raise, raise, settle } from '../../../daemon/features/inbox/service.ts'
import type { Sockets } from '../../../daemon/streams/ws.ts'
import { asked, askPlace } from '../../support/asks.ts'
import { type Cli, cliFor, type Terminal } from '../../support/cli.ts'
import { eventually } from '../../support/eyes.ts'
import { openSockets, requested } from '../../support/live.ts'
import { workplace } from '../../support/runs.ts'

const size = { cols: 60, rows: 20 }
type Decided = [kind: string, id: string, body: Record<string, unknown>]
type Place = TestDaemon & { muster: Cli; decided: Decided[]; sockets: Sockets }

const routes: [path: RegExp, kind: InboxKind][] = [
  [/\/escalations\/([^/]+)\/resolve$/, 'escalation'],
  [/\/approvals\/([^/]+)\/decide$/, 'waitpoint'],
  [/\/inbox\/ibx_run_needs_human_([^/]+)\/act$/, 'run_needs_human'],
]

/** Notes what is decided instead of carrying it out; the item is settled. Tests with the whole of it are below. */
async function place(role: Role = 'MANAGER'): Promise<Place> {
  const decided: Decided[] = []
  const it = await daemon()
  it.http.addHook('preHandler', async (request, reply) => {
    const [path, kind] = routes.find(([pattern]) => pattern.test(request.url)) ?? []
    if (!path || !kind) return
    const id = path.exec(request.url)![1]!
    if (id === 'taken') throw problem('escalation_settled', { detail: 'Somebody else has answered: no \u001b[31mmore' })
    decided.push([kind, id, request.body as Record<string, unknown>])
    it.app.writeNow(() =>
      settle(it.app, { workspace: it.workspace, id: itemId(kind, id), action: 'done', by: null, now: it.app.now() }),
    )
    return reply.serializer(JSON.stringify).send({ id })
  })
  const muster = await cliFor(it, role)
  return { ...it, decided, muster, sockets: openSockets(it) }
}

/** How items of these kinds are decided, as their sources tell it. */
const ways: Partial<Record<InboxKind, (source: string) => NonNullable<Raise['decides']>>> = {
  escalation: (source) => ({
    operation: 'escalations.resolve',
    params: { escalationId: source },
    choices: [
      {
        id: 'answer',
        label: 'Answer',
        body: { action: 'approve' },
        text: { member: 'resolution', required: true },
      },
      { id: 'approve', label: 'Approve', means: 'approve', body: { action: 'approve', resolution: 'Approved.' } },
      { id: 'reject', label: 'Deny', means: 'deny', body: { action: 'reject', resolution: 'Denied.' } },
    ],
  }),
  waitpoint: () => ({
    operation: 'approvals.decide',
    params: { approvalId: 'ap1' },
    choices: [
      { id: 'approve', label: 'Approve', means: 'approve', body: { status: 'approved' } },
      { id: 'deny', label: 'Deny', means: 'deny', body: { status: 'denied' } },
    ],
  }),
  run_needs_human: (source) => ({
    operation: 'inbox.act',
    params: { itemId: itemId('run_needs_human', source) },
    resolves: 'dismiss',
    choices: [
      { id: 'answer', label: 'Answer', body: { action: 'answer' }, text: { member: 'input', required: true } },
      { id: 'take_over', label: 'Take over', body: { action: 'take_over' } },
      { id: 'dismiss', label: 'Dismiss', means: 'deny', body: { action: 'dismiss' } },
    ],
  }),
}

const put = ({ app, workspace, clock }: Place, { mode, ...it }: Partial<Raise> & { source: string; mode?: Mode }) => {
  clock.advance(1000)
  const decides = it.kind && ways[it.kind]?.(it.source)
  return app.writeNow(() =>
    raise(
      app,
      {
        workspace,
        kind: 'message',
        target: 'workspace',
        title: `Item ${it.source}`,
        sender: { type: 'agent', name: 'ada' },
        now: app.now(),
        ...(decides && { decides }),
        ...it,
      },
      mode,
    ),
  )
}
const question = (it: Place, source: string, more: Partial<Raise> = {}) =>
  put(it, {
    source,
    kind: 'escalation',
    blocking: true,
    title: `Question ${source}`,
    body: `May I drop **table ${source}**?`,
    ...more,
  })

/** The inbox at a terminal, once its list is there. */
async function open(it: Place, first: string, flags: string[] = []): Promise<Terminal> {
  const listens = requested(it, /\/inbox\?/, 2)
  const terminal = it.muster.terminal(['inbox', ...flags], { ...size, env: { NO_COLOR: '1' } })
  await shows(terminal, first)
  // The second list is asked for once everything is heard.
  await listens
  return terminal
}

const sees = (terminal: Terminal, check: (lines: string[]) => boolean) => eventually(terminal, check, size)
const shows = (terminal: Terminal, text: string) => sees(terminal, (lines) => lines.some((line) => line.includes(text)))
const lacks = (terminal: Terminal, text: string) =>
  sees(terminal, (lines) => !lines.some((line) => line.includes(text)))
const chosen = (terminal: Terminal, text: string) =>
  sees(terminal, (lines) => lines.some((line) => line.startsWith('›') && line.includes(text)))
const stateOf = async (it: Place, id: string) => (await it.call('MANAGER', 'GET', `/inbox/${id}`)).body.state

describe('muster inbox at a terminal', () => {
  it('lists kind, age, who and title, shows the chosen item, and fits 60 columns', async () => {
    const it = await place()
    put(it, {
      source: 'b',
      body: '# News\n\n- one\n- two',
      title: 'A title that is far too long for a terminal of sixty columns',
    })
    question(it, 'a')
    const terminal = await open(it, 'Question a')
    const lines = await shows(terminal, 'May I drop table a?')
    expect(lines[0]).toMatch(/^Inbox {2}test-\S+ {2}2 open · 1 for you to decide/)
    expect(lines[1]).toMatch(/^› ! question +\d+\w+ {2}ada +Question a$/)
    expect(lines[2]).toMatch(/^ {2}• message .*…$/)
    expect(lines.every((line) => line.length <= 60)).toBe(true)
    expect(lines.at(-1)).toBe('a approve  d deny  r answer  Enter open  ? help  q leave')
    terminal.type('j')
    expect(await shows(terminal, '• one')).toContain('News')
    terminal.type('q')
    expect(await terminal.ended).toBe(0)
    expect(terminal.text()).toMatch(/\u001b\[\?1049l\u001b\[\?25h/)
  })

  it('says so when nothing waits, and shows what comes, without a key', async () => {
    const it = await place()
    const terminal = await open(it, 'Nothing waits for you.')
    question(it, 'late')
    await shows(terminal, 'May I drop table late?')
    question(it, 'later')
    await sees(terminal, (lines) => lines[1]!.includes('Question later') && lines[2]!.startsWith('› ! question'))
    it.app.writeNow(() =>
      settle(it.app, {
        workspace: it.workspace,
        id: itemId('escalation', 'later'),
        action: 'approve',
        by: null,
        now: it.app.now(),
      }),
    )
    await lacks(terminal, 'Question later')
  })

  it('opens an item, which marks it read, and marks it unread again', async () => {
    const it = await place()
    put(it, { source: 'a', body: Array.from({ length: 40 }, (_, n) => `line ${n}`).join('\n\n') })
    const terminal = await open(it, 'line 0')
    const read = requested(it, /\/inbox\/ibx_message_a$/)
    terminal.type('\r')
    await sees(terminal, (lines) => !lines.some((line) => line.startsWith('›')))
    await read
    await sees(terminal, (lines) => lines.at(-1)!.includes('n unread'))
    terminal.type(' ')
    await shows(terminal, 'line 12')
    terminal.type('b')
    await lacks(terminal, 'line 12')
    expect(await stateOf(it, 'ibx_message_a')).toBe('read')
    const unread = requested(it, /\/inbox\?/)
    terminal.type('n')
    await unread
    await sees(terminal, (lines) => lines[1]!.startsWith('› • '))
    expect(await stateOf(it, 'ibx_message_a')).toBe('unread')
  })

  it.each([
    ['a', { status: 'approved' }],
    ['d', { status: 'denied' }],
  ])('decides an approval with %s', async (key, sent) => {
    const it = await place('ADMIN')
    put(it, {
      source: 'w',
      kind: 'waitpoint',
      blocking: true,
      payload: { approval_id: 'ap1', policy_action: 'agent_create' },
    })
    const terminal = await open(it, 'policy action: agent_create', ['--undo', '0'])
    terminal.type(key)
    await shows(terminal, key === 'a' ? 'Approved: Item w' : 'Denied: Item w')
    expect(it.decided).toEqual([['waitpoint', 'ap1', sent]])
  })

  it.each([
    ['a', { action: 'approve', resolution: 'Approved.' }],
    ['d', { action: 'reject', resolution: 'Denied.' }],
  ])('decides a question with %s', async (key, sent) => {
    const it = await place()
    question(it, 'e1')
    const terminal = await open(it, 'May I drop table e1?', ['--undo', '0'])
    terminal.type(key)
    await shows(terminal, 'Nothing waits for you.')
    expect(it.decided).toEqual([['escalation', 'e1', sent]])
  })

  it('answers a question with what is typed, of several lines, and lets it be left', async () => {
    const it = await place()
    question(it, 'e1')
    const terminal = await open(it, 'May I drop table e1?', ['--undo', '0'])
    terminal.type('r')
    await shows(terminal, 'Answer:')
    terminal.type('never')
    await shows(terminal, 'Answer: never')
    terminal.type('\u001b')
    await lacks(terminal, 'Answer:')
    terminal.type('r')
    await shows(terminal, 'Answer:')
    // Keys that decide are letters here.
    terminal.type('add a quiet\\\rsecond line')
    await shows(terminal, '        second line')
    terminal.type('\r')
    await shows(terminal, 'Answered: Question e1')
    expect(it.decided).toEqual([['escalation', 'e1', { action: 'approve', resolution: 'add a quiet\nsecond line' }]])
    terminal.type('q')
    expect(await terminal.ended).toBe(0)
  })

  it.each([
    ['d', { action: 'dismiss' }],
    ['t', { action: 'take_over' }],
    ['r', { action: 'answer', input: 'Go on' }],
  ])('acts on a run that needs a human with %s', async (key, sent) => {
    const it = await place()
    put(it, { source: 'as1', kind: 'run_needs_human', blocking: true, body: 'Which colour?' })
    const terminal = await open(it, 'Which colour?', ['--undo', '0'])
    terminal.type(key)
    if (key === 'r') {
      await shows(terminal, 'Answer:')
      terminal.type('Go on\r')
    }
    await shows(terminal, 'Nothing waits for you.')
    expect(it.decided).toEqual([['run_needs_human', 'as1', sent]])
  })

  it('resolves with x, for everybody', async () => {
    const it = await place()
    put(it, { source: 'a', body: 'Read me' })
    const terminal = await open(it, 'Read me', ['--undo', '0'])
    terminal.type('x')
    await shows(terminal, 'Nothing waits for you.')
    expect(await stateOf(it, 'ibx_message_a')).toBe('resolved')
  })

  it('refuses keys that do not fit the item, and decides nothing', async () => {
    const it = await place()
    put(it, { source: 'a', body: 'Read me' })
    const terminal = await open(it, 'Read me', ['--undo', '0'])
    for (const [key, words] of [
      ['a', 'cannot be approved'],
      ['t', 'cannot be taken over'],
      ['r', 'no question to answer'],
      ['u', 'nothing to undo'],
    ] as const) {
      terminal.type(key)
      await shows(terminal, words)
    }
    expect(it.decided).toEqual([])
  })

  it('sends a decision only after its time, and takes it back with u', async () => {
    const it = await place()
    question(it, 'a')
    question(it, 'b')
    const terminal = await open(it, 'table b', ['--undo', '60s'])
    terminal.type('a')
    await shows(terminal, 'Approving in 60 s · u undoes · Question b')
    await shows(terminal, 'Approving: Question b')
    await chosen(terminal, 'Question a')
    await shows(terminal, 'table a')
    terminal.type('d')
    await shows(terminal, '(and 1 more)')
    terminal.type('u')
    await shows(terminal, 'Approving in')
    await lacks(terminal, 'Denying')
    terminal.type('u')
    await shows(terminal, 'Approving was taken back.')
    await lacks(terminal, 'Approving:')
    terminal.type('q')
    expect(await terminal.ended).toBe(0)
    expect(it.decided).toEqual([])
  })

  it('counts down, then sends', async () => {
    const it = await place()
    question(it, 'a')
    const terminal = await open(it, 'table a', ['--undo', '1500ms'])
    terminal.type('a')
    await shows(terminal, 'Approving in 2 s')
    await shows(terminal, 'Approving in 1 s')
    await shows(terminal, 'Approved: Question a')
    expect(it.decided).toHaveLength(1)
  })

  it('asks before it leaves with something unsent: Enter sends, u takes back, Esc stays', async () => {
    const it = await place()
    question(it, 'a')
    question(it, 'b')
    const terminal = await open(it, 'table b', ['--undo', '60s'])
    terminal.type('a')
    await shows(terminal, 'table a')
    terminal.type('d')
    await shows(terminal, '(and 1 more)')
    terminal.type('q')
    await shows(terminal, '2 not sent yet')
    terminal.type('\u001b')
    await lacks(terminal, 'not sent yet')
    terminal.type('q')
    await shows(terminal, '2 not sent yet')
    terminal.type('u')
    await shows(terminal, '1 not sent yet')
    terminal.type('\r')
    expect(await terminal.ended).toBe(0)
    expect(it.decided).toEqual([['escalation', 'b', expect.objectContaining({ action: 'approve' })]])
    expect(terminal.text()).toContain('1 decision sent.')
  })

  it('leaves by itself when everything is sent while it asks', async () => {
    const it = await place()
    question(it, 'a')
    const terminal = await open(it, 'table a', ['--undo', '2s'])
    terminal.type('a')
    await shows(terminal, 'Approving in')
    terminal.type('q')
    await shows(terminal, '1 not sent yet')
    expect(await terminal.ended).toBe(0)
    expect(terminal.text()).not.toContain('0 not sent yet')
    expect(terminal.text()).toContain('1 decision sent.')
  })

  it('leaves without sending on a second Ctrl-C and when the terminal goes away', async () => {
    const it = await place()
    question(it, 'a')
    const terminal = await open(it, 'table a', ['--undo', '60s'])
    terminal.type('a')
    await shows(terminal, 'Approving in')
    terminal.type('\u0003')
    await shows(terminal, '1 not sent yet')
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(130)
    expect(terminal.text()).toContain('1 decision was not sent.')
    const other = await open(it, 'table a', ['--undo', '60s'])
    other.type('a')
    await shows(other, 'Approving in')
    other.kill('SIGHUP')
    expect(await other.ended).toBe(129)
    expect(it.decided).toEqual([])
  })

  it('tells what the service refuses, and goes on', async () => {
    const it = await place()
    question(it, 'taken')
    const terminal = await open(it, 'table taken', ['--undo', '60s'])
    terminal.type('a')
    await shows(terminal, 'Approving in')
    terminal.type('q')
    await shows(terminal, 'not sent yet')
    terminal.type('\r')
    await shows(terminal, 'Somebody else has answered: no more')
    await chosen(terminal, 'Question taken')
    terminal.type('q')
    expect(await terminal.ended).toBe(0)
  })

  it('drops a decision about an item that changed or was decided meanwhile', async () => {
    const it = await place()
    question(it, 'a', {})
    const terminal = await open(it, 'table a', ['--undo', '60s'])
    terminal.type('a')
    await shows(terminal, 'Approving in')
    it.clock.advance(1000)
    it.app.writeNow(() =>
      raise(
        it.app,
        {
          workspace: it.workspace,
          kind: 'escalation',
          source: 'a',
          target: 'workspace',
          title: 'Question a',
          body: 'All tables?',
          blocking: true,
          decides: ways.escalation!('a'),
          now: it.app.now(),
        },
        'upsert',
      ),
    )
    await shows(terminal, 'Approving was dropped: the item has changed.')
    await shows(terminal, 'All tables?')
    terminal.type('a')
    await shows(terminal, 'Approving in')
    it.app.writeNow(() =>
      settle(it.app, {
        workspace: it.workspace,
        id: itemId('escalation', 'a'),
        action: 'reject',
        by: null,
        now: it.app.now(),
      }),
    )
    await shows(terminal, 'it is decided already.')
    expect(it.decided).toEqual([])
  })

  it('chooses nothing in place of an item that somebody else decided: a key may be on its way', async () => {
    const it = await place()
    question(it, 'a')
    question(it, 'b')
    const terminal = await open(it, 'table b', ['--undo', '0'])
    it.app.writeNow(() =>
      settle(it.app, {
        workspace: it.workspace,
        id: itemId('escalation', 'b'),
        action: 'approve',
        by: null,
        now: it.app.now(),
      }),
    )
    await shows(terminal, 'This item was decided meanwhile.')
    terminal.type('a')
    await shows(terminal, 'There is nothing to decide.')
    terminal.type('j')
    await chosen(terminal, 'Question a')
    expect(it.decided).toEqual([])
  })

  it('takes pasted text for no decision', async () => {
    const it = await place()
    question(it, 'a')
    const terminal = await open(it, 'table a', ['--undo', '0'])
    terminal.type('\u001b[200~aqd\r\u001b[201~')
    terminal.type('?')
    await shows(terminal, 'Keys')
    expect(it.decided).toEqual([])
  })

  it('tells its keys with ?, and any key goes back', async () => {
    const it = await place()
    put(it, { source: 'a', body: 'Read me' })
    const terminal = await open(it, 'Read me')
    terminal.type('?')
    const lines = await shows(terminal, 'take a run over')
    expect(lines.every((line) => line.length <= 60)).toBe(true)
    terminal.type('j')
    await shows(terminal, 'Read me')
  })

  it('moves to the first and the last item, over more than fit', async () => {
    const it = await place()
    for (let n = 0; n < 30; n++) put(it, { source: String(n), body: `Text ${n}.` })
    const terminal = await open(it, 'Text 29.')
    terminal.type('G')
    await chosen(terminal, 'Item 0')
    await shows(terminal, 'Text 0.')
    terminal.type('k')
    await chosen(terminal, 'Item 1')
    terminal.type('g')
    await chosen(terminal, 'Item 29')
  })

  it('draws for another size without leaving anything of the old', async () => {
    const it = await place()
    put(it, { source: 'a', body: 'A sentence that needs more than thirty columns to be told.' })
    const terminal = await open(it, 'A sentence')
    const before = terminal.text().length
    terminal.resize(30, 12)
    const narrow = { cols: 30, rows: 12 }
    const rest = { ...terminal, text: () => terminal.text().slice(before) }
    const lines = await eventually(rest, (all) => all.some((line) => line.startsWith('than thirty columns')), narrow)
    expect(lines).toHaveLength(12)
    expect(lines.every((line) => line.length <= 30)).toBe(true)
    terminal.resize(100, 30)
    const wide = { ...terminal, text: () => terminal.text().slice(before) }
    await eventually(wide, (all) => all.some((line) => line.includes('more than thirty columns to be told.')), {
      cols: 100,
      rows: 30,
    })
  })

  it('writes over what changed only, and never wipes the screen to do so', async () => {
    const it = await place()
    for (const source of ['a', 'b', 'c']) put(it, { source, body: `Text ${source}.` })
    const terminal = await open(it, 'Text c.')
    const before = terminal.text().length
    terminal.type('j')
    await shows(terminal, 'Text b.')
    const sent = terminal.text().slice(before)
    expect(sent).not.toContain('\u001b[2J')
    expect(sent).not.toContain('Item a')
  })

  it('shows nothing that acts on the terminal, whatever agents wrote', async () => {
    const it = await place()
    const evil = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eX\u0007'
    put(it, {
      source: 'a',
      title: `Title${evil}\nsecond\u001b[1;1Hline`,
      body: `Body ${evil}\n\n\`\`\`\n${evil}code\n\`\`\``,
      sender: { type: 'agent', name: `ada${evil}` },
      payload: { reason: `Why ${evil}` },
    })
    const terminal = await open(it, 'Body X')
    const text = await shows(terminal, 'reason: Why X')
    expect(text.join('\n')).toContain('TitleX secondline')
    expect(terminal.text()).not.toMatch(/owned|\u0007|\u009b|\u202e|\u001b\[31m/)
  })

  const { choices, ...way } = ways.escalation!('c')
  const withoutWords = { ...way, choices: choices.filter(({ id }) => id !== 'answer') }

  it('never shows the secret of a proposed credential, and takes no typed answer to it', async () => {
    const it = await place()
    question(it, 'c', {
      body: 'A key for the mail service',
      payload: {
        escalation_type: 'CREDENTIAL',
        has_pending_credential: true,
        value: 'sk-secret-1',
        metadata: { value: 'sk-secret-2' },
        credential: 'sk-secret-3',
      },
      decides: withoutWords,
    })
    const terminal = await open(it, 'A key for the mail service', ['--undo', '0'])
    terminal.type('\r')
    await lacks(terminal, '›')
    terminal.type('r')
    await shows(terminal, 'no question to answer')
    terminal.type('a')
    await shows(terminal, 'Approved: Question c')
    expect(terminal.text()).not.toContain('sk-secret')
  })

  it('goes on after the connection was lost', async () => {
    const it = await place()
    const terminal = await open(it, 'Nothing waits for you.')
    it.sockets.close()
    await shows(terminal, 'The connection is lost')
    openSockets(it)
    put(it, { source: 'a', body: 'After all' })
    await shows(terminal, 'After all')
  })

  it('is the list when piped, or asked for another form', async () => {
    const it = await place()
    question(it, 'a')
    expect(await it.muster.run('inbox', '-q')).toMatchObject({ code: 0, stdout: 'ibx_escalation_a\n' })
    expect(JSON.parse((await it.muster.run('inbox', '--json=id')).stdout)).toEqual([{ id: 'ibx_escalation_a' }])
    expect(await it.muster.run('inbox', '--kind', 'message')).toMatchObject({ code: 0, stdout: '' })
    const plain = it.muster.terminal(['inbox', '--json', '--no-pager'], size)
    await plain.until(/ibx_escalation_a/)
    expect(await plain.ended).toBe(0)
    expect(plain.text()).toContain('"ibx_escalation_a"')
    expect(plain.text()).not.toContain('\u001b[?1049h')
    const dumb = it.muster.terminal(['inbox'], { ...size, env: { TERM: 'dumb' } })
    expect(await dumb.ended).toBe(0)
    expect(dumb.text()).not.toContain('\u001b[')
  })

  it('lists only what has some words, until Esc, and decides in what is listed', async () => {
    const it = await place()
    question(it, 'apple')
    question(it, 'pear')
    put(it, { source: 'note', title: 'About apples' })
    const terminal = await open(it, 'Question apple')
    terminal.type('/')
    await shows(terminal, 'Filter:')
    terminal.type('APPLE question\r')
    await shows(terminal, '1 of 3 open')
    await chosen(terminal, 'Question apple')
    await lacks(terminal, 'Question pear')
    terminal.type('/')
    await shows(terminal, 'Filter:')
    terminal.type('cherry\r')
    await shows(terminal, 'Nothing has "cherry". Esc shows all.')
    terminal.type('\u001b')
    await shows(terminal, 'Question pear')
  })

  it('goes to an item by its number or the beginning of its id, and says when there is none', async () => {
    const it = await place()
    for (const source of ['one', 'two', 'three']) question(it, source)
    const terminal = await open(it, 'Question three')
    await chosen(terminal, 'Question three')
    terminal.type(':')
    await shows(terminal, 'Go to:')
    terminal.type('3\r')
    await chosen(terminal, 'Question one')
    terminal.type(':')
    await shows(terminal, 'Go to:')
    terminal.type('ibx_escalation_tw\r')
    await chosen(terminal, 'Question two')
    terminal.type(':')
    await shows(terminal, 'Go to:')
    terminal.type('9\r')
    await shows(terminal, 'There is no item 9 in the list.')
    terminal.type('?')
    await shows(terminal, 'go to an item by its number')
  })
})

describe('what is decided at the terminal', () => {
  const at = async (it: TestDaemon, first: string) => {
    openSockets(it)
    const terminal = (await cliFor(it, 'OWNER')).terminal(['inbox', '--undo', '0'], { ...size, env: { NO_COLOR: '1' } })
    await shows(terminal, first)
    return terminal
  }

  it('answers the escalation of an agent', async () => {
    const it = await workplace()
    const token = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
    const question = {
      workspace_id: it.workspace,
      crew_id: it.crewId,
      from_slug: 'ada',
      reason: 'May I delete the cache?',
    }
    const { escalation_id } = (await it.call(null, 'POST', '/internal/escalations', question, token)).body
    const terminal = await at(it, 'May I delete the cache?')
    terminal.type('r')
    await shows(terminal, 'Answer:')
    terminal.type('Only what is older than a day\r')
    await shows(terminal, 'Nothing waits for you.')
    expect((await it.call('OWNER', 'GET', `/escalations/${escalation_id}`)).body).toMatchObject({
      status: 'RESOLVED',
      action: 'approve',
      resolution: 'Only what is older than a day',
      resolved_by_user_id: it.person('OWNER').userId,
    })
  })

  it('lets a run that waits for an answer go on', async () => {
    const it = await askPlace()
    const { item } = await asked(it, { question: 'Postgres or SQLite?' })
    const terminal = await at(it, 'Postgres or SQLite?')
    terminal.type('r')
    await shows(terminal, 'Answer:')
    terminal.type('SQLite\r')
    await shows(terminal, 'Nothing waits for you.')
    expect((await it.call('OWNER', 'GET', `/inbox/${item}`)).body).toMatchObject({
      state: 'resolved',
      resolved_action: 'answer',
    })
  })
})
