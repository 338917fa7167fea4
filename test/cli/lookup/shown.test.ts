import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { rememberList, rowShown } from '../../../cli/lookup/shown.ts'
import { ending } from '../../support/endings.ts'

it.each(['', '{', 'null', '{}', '[5]', '[null]', '[{"noun":"runs"}]', '[{"noun":1,"ids":["x"]}]'])(
  'a file of lists that holds %j is none, and is replaced',
  (garbage) => {
    const state = mkdtempSync(join(tmpdir(), 'muster-state-'))
    vi.stubEnv('XDG_STATE_HOME', state)
    ending(() => {
      vi.unstubAllEnvs()
      rmSync(state, { recursive: true })
    })
    mkdirSync(join(state, 'muster/lists'), { recursive: true })
    writeFileSync(join(state, 'muster/lists/1-1.json'), garbage)
    expect(rowShown(['runs'], 1, '1-1')).toBeUndefined()
    rememberList('runs', ['first', 'second'], '1-1')
    expect(rowShown(['runs'], 2, '1-1')).toBe('second')
  },
)
