import { describe, expect, it } from 'vitest'
import { distance, type Known, resolve } from '../../cli/resolve.ts'

const known: Known = {
  ids: [
    'api',
    'ask',
    'crews:list',
    'crews:show',
    'crews:create',
    'crews:remove',
    'crews:members:list',
    'crews:members:create',
    'journal:get',
    'journal:list',
    'members:add',
    'policies:show',
    'up',
    'chat',
    'chats:list',
    'inbox',
    'inbox:list',
  ],
  aliases: { 'journal:tail': 'journal:list', watch: 'journal:list' },
  valued: ['--context', '--crew', '--jq', '--output', '--server', '--workspace', '-o', '-s', '-w'],
  unlisted: { 'users:me': 'up', 'crews:replace': 'crews:create', 'members:create': 'up' },
}
const run = (line: string) => resolve(line.split(' ').filter(Boolean), known)

describe('resolve', () => {
  // biome-ignore format: one line each
  it.each([
    ['up', 'up', []],
    ['crews list', 'crews:list', []],
    ['crew list -q', 'crews:list', ['-q']],
    ['crews', 'crews:list', []],
    ['crew', 'crews:list', []],
    ['crews --json', 'crews:list', ['--json']],
    ['crew members', 'crews:members:list', []],
    ['crew member add --role x', 'crews:members:create', ['--role', 'x']],
    ['crews get api', 'crews:show', ['api']],
    ['crews rm api -y', 'crews:remove', ['api', '-y']],
    ['crews delete api', 'crews:remove', ['api']],
    ['crews new', 'crews:create', []],
    ['journal show j_1', 'journal:get', ['j_1']],
    ['policy show', 'policies:show', []],
    ['policies', 'policies:show', []],
    ['journal tail', 'journal:list', []],
    ['watch -q', 'journal:list', ['-q']],
    ['-w acme crews list', 'crews:list', ['-w', 'acme']],
    ['--server=http://x -q crews list', 'crews:list', ['--server=http://x', '-q']],
    ['--context work --json crews list -q', 'crews:list', ['-q', '--context', 'work', '--json']],
    ['--crew backend crews', 'crews:list', ['--crew', 'backend']],
    ['-o json crews', 'crews:list', ['-o', 'json']],
    ['--json id,slug crews', 'crews:list', ['--json', 'id,slug']],
    ['--json crews list', 'crews:list', ['--json']],
    ['-v up', 'up', ['-v']],
    ['ask bot -- --help', 'ask', ['bot', '--', '--help']],
    ['chat', 'chat', []],
    ['chat list', 'chat', ['list']],
    ['api GET /crews', 'api', ['GET', '/crews']],
    ['users me -q', 'up', ['-q']],
    ['crew replace web', 'crews:create', ['web']],
    ['members add x', 'members:add', ['x']],
    ['--crew web crews list', 'crews:list', ['--crew', 'web']],
    ['-q crews list', 'crews:list', ['-q']],
    ['--all inbox', 'inbox', ['--all']],
  ])('understands "%s"', (line, id, argv) => expect(run(line)).toEqual({ kind: 'run', id, argv }))

  it.each([
    ['', []],
    ['--help', []],
    ['-h', []],
    ['help', []],
    ['help crews list', ['crews', 'list']],
    ['crews --help', ['crews']],
    ['crews create --help', ['crews', 'create']],
    ['-q crews create -h', ['crews', 'create']],
    ['members', ['members']],
    ['crews help', ['crews']],
    ['inbox help', ['inbox']],
    ['crew members help', ['crews', 'members']],
  ])('shows help for "%s"', (line, words) => expect(run(line)).toEqual({ kind: 'help', words }))

  it.each(['--version', '-V', '-v', '--version --json'])('shows the version for "%s"', (line) =>
    expect(run(line)).toEqual({ kind: 'version' }),
  )

  it.each([
    ['crews lst', ['crews:list']],
    ['crwes list', ['crews:list']],
    ['jounral', ['journal']],
    ['wathc', ['watch']],
    ['xyzzy', []],
    ['crews frobnicate', []],
    ['crews foo', []],
  ])('offers what "%s" may mean', (line, near) => {
    const request = run(line)
    expect(request.kind).toBe('unknown')
    expect(request.kind === 'unknown' && request.near.slice(0, 1)).toEqual(near)
  })
})

describe('distance', () => {
  it.each([
    ['', '', 0],
    ['a', '', 1],
    ['list', 'lst', 1],
    ['list', 'lsit', 1],
    ['crews', 'crew', 1],
    ['kitten', 'sitting', 3],
  ])('%s to %s is %i', (a, b, far) => {
    expect(distance(a, b)).toBe(far)
    expect(distance(b, a)).toBe(far)
  })
})
