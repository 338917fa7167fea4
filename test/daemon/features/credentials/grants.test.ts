import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  envFile,
  type Grant,
  pickVariables,
  rankModels,
} from '../../../../daemon/features/credentials/delivery/rules.ts'

const grant = (credentialId: string, source: Grant['source'], priority = 0, over: Partial<Grant> = {}): Grant => ({
  credentialId,
  source,
  priority,
  provider: 'ANTHROPIC',
  variable: 'V',
  ...over,
})

describe('rankModels', () => {
  const ranks = (...grants: Grant[]) => rankModels(grants).map(({ credentialId, order }) => `${credentialId}${order}`)

  it.each([
    ['nothing', [], []],
    ['lowest number first', [grant('a', 'explicit', 5), grant('b', 'explicit', -1)], ['b0', 'a1']],
    [
      'equal numbers take turns, oldest first',
      [grant('b', 'explicit'), grant('a', 'explicit'), grant('c', 'explicit', 1)],
      ['a0', 'b0', 'c1'],
    ],
    [
      'the agent’s own before its crew’s, whatever the number',
      [grant('a', 'crew'), grant('b', 'explicit', 9)],
      ['b0', 'a1'],
    ],
    ['a crew’s one after the other', [grant('b', 'crew'), grant('a', 'crew')], ['a0', 'b1']],
    ['the workspace’s when nothing is nearer', [grant('b', 'workspace'), grant('a', 'workspace')], ['a0', 'b1']],
    ['a crew’s before the workspace’s, however old', [grant('a', 'workspace'), grant('b', 'crew')], ['b0']],
    ['not the workspace’s otherwise', [grant('a', 'workspace'), grant('b', 'explicit', 3)], ['b0']],
    [
      'each provider for itself',
      [
        grant('a', 'workspace', 0, { provider: 'OPENAI' }),
        grant('b', 'explicit'),
        grant('c', 'explicit', 0, { provider: 'OPENAI' }),
        grant('d', 'crew'),
      ],
      ['b0', 'c0', 'd1'],
    ],
  ] as [string, Grant[], string[]][])('%s', (_what, grants, wanted) => expect(ranks(...grants)).toEqual(wanted))
})

describe('pickVariables', () => {
  it('takes the nearest, then the lowest number, then the oldest', () => {
    const grants = [
      grant('a', 'crew', 0, { variable: 'ONE' }),
      grant('b', 'explicit', 7, { variable: 'ONE' }),
      grant('d', 'explicit', 1, { variable: 'TWO' }),
      grant('c', 'explicit', 1, { variable: 'TWO' }),
      grant('e', 'crew', 0, { variable: 'THREE' }),
    ]
    expect(pickVariables(grants).map(({ variable, credentialId }) => `${variable}:${credentialId}`)).toEqual([
      'TWO:c',
      'ONE:b',
      'THREE:e',
    ])
  })
})

describe('envFile', () => {
  it('gives a real shell every value to the byte', () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-env-'))
    const value = `it's "$(echo no)" \`no\` \\n $HOME\nline two é`
    writeFileSync(
      join(folder, '.env'),
      envFile([
        { name: 'ONE', value },
        { name: 'TWO', value: '' },
      ]),
    )
    const out = execFileSync('sh', ['-c', '. ./.env; printf %s "$ONE"; printf "|%s|" "$TWO"; env | grep -c "^TWO="'], {
      cwd: folder,
      encoding: 'utf8',
    })
    rmSync(folder, { recursive: true })
    expect(out).toBe(`${value}||1\n`)
  })
})
