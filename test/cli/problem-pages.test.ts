import { describe, expect, it } from 'vitest'
import { problems } from '#contract/problems'
import { explain } from '../../cli/failure.ts'
import { pageOfProblem, pages } from '../../cli/help/problems.ts'
import { cli } from '../support/cli.ts'
import { fakeServer, json } from '../support/fake-server.ts'
import { filesOf, read } from '../support/typed.ts'

/** What their sentences say is all that there is to know. */
const withoutPage = [
  ...['invalid_field', 'missing_field', 'no_fields', 'request_timeout', 'headers_too_large', 'invalid_token'],
  ...['already_member', 'token_ended', 'onboarding_completed', 'internal_token_rejected', 'slug_taken', 'name_taken'],
  ...['avatar_kept', 'already_assigned', 'foreign_file', 'outside_crew'],
  ...['agent_deleted', 'assignment_ended', 'own_assignment'],
  ...['cancelled', 'exit', 'failed', 'interrupted', 'invalid_input'],
]

/** The anchors of a page, as GitHub makes them of headings. */
const anchors = (page: string) =>
  [...read(`docs/${page}`).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )

describe('pages of problems', () => {
  it('has a page, or deliberately none, for every code of the contract', () => {
    expect(Object.keys(problems).filter((code) => !Object.hasOwn(pages, code))).toEqual([])
    const without = Object.entries(pages).flatMap(([code, page]) => (page === null ? [code] : []))
    expect(without.sort()).toEqual(withoutPage.sort())
  })

  it('has them for every code with which a daemon does not start or answer', () => {
    const sources = [...filesOf('daemon/start', '.ts'), 'daemon/admin/place.ts'].map(read).join('\n')
    const codes = [...sources.matchAll(/(?:\bcode: |new Refusal\(\s*)'([a-z_]+)'/g)].map(([, code]) => code!)
    expect(codes).toEqual(expect.arrayContaining(['database_damaged', 'foreign_data_dir']))
    expect(codes.filter((code) => pageOfProblem(code) === null)).toEqual([])
  })

  it.each([...new Set(Object.values(pages))].filter((page) => page !== null).map((page) => [page]))(
    '%s exists',
    (link) => {
      const [page, anchor] = link.split('#')
      if (anchor === undefined) expect(read(`docs/${page}`)).toMatch(/^# /)
      else expect(anchors(page!)).toContain(anchor)
    },
  )

  it('knows none for what another server says', () => {
    expect(pageOfProblem('http_502')).toBeNull()
    expect(pageOfProblem('constructor')).toBeNull()
    expect(pageOfProblem(undefined)).toBeNull()
  })
})

describe('errors', () => {
  const refused = async (status: number, code: string, ...args: string[]) => {
    const problem = { type: 'about:blank', title: 'A title', status, code, instance: '/', error: 'No.', detail: 'No.' }
    const server = await fakeServer((_, reply) => json(reply, problem, status, { 'x-request-id': 'req-7' }))
    return cli({ SVC_SERVER: server.url, SVC_TOKEN: 'svc_cli_test' }).run(...args)
  }

  it('name the page before the next command', async () => {
    const { stderr } = await refused(403, 'insufficient_scope', 'crews', 'create', 'Web')
    expect(stderr).toBe(
      'Error: No.\n  A title\n  Request req-7\nDocs: docs/rules/http.md#scopes\n' +
        'Next: muster tokens list, and use a token with a wider scope\n',
    )
  })

  it('tell programs the page as a member', async () => {
    const known = await refused(403, 'insufficient_scope', 'crews', 'create', 'Web', '--json')
    expect(JSON.parse(known.stderr)).toMatchObject({ type: 'about:blank', docs: 'docs/rules/http.md#scopes' })
    const unknown = await refused(400, 'invalid_field', 'crews', 'create', 'Web', '--json')
    expect(JSON.parse(unknown.stderr)).toMatchObject({ docs: null })
  })

  it('say what to report when the daemon is at fault', async () => {
    const { stderr } = await refused(500, 'internal', 'crews', 'list')
    expect(stderr).toBe(
      "Error: No.\n  A title\n  The daemon's log has the cause under request req-7\n" +
        '  This is a fault of Muster. Report it with the request id, that part of the log, ' +
        'and `muster doctor --json`\n' +
        'Docs: docs/operating.md#report-a-fault\nNext: muster doctor\n',
    )
  })

  it('say so when the command is at fault, and not when the machine is', () => {
    const at = { command: 'crews list', local: true, hasToken: true }
    expect(explain(new TypeError('x is not a function'), at)).toMatchObject({
      exit: 1,
      what: 'x is not a function',
      why: [expect.stringContaining('Report it with what you typed')],
      problem: { code: 'fault' },
    })
    const machine = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })
    expect(explain(machine, at)).toMatchObject({ exit: 1, why: [], problem: { code: 'failed' } })
  })
})
