import { describe, expect, it } from 'vitest'
import type { Write } from '../../../../daemon/runtime/collisions/attribution.ts'
import { thingAt } from '../../../../daemon/runtime/collisions/things.ts'
import { createTracker, mostToldOfPair } from '../../../../daemon/runtime/collisions/tracker.ts'

let now = 0
const by = (agentId: string, runId = `r-${agentId}`, until: number | null = null): Write => ({
  run: { runId, agentId, uid: 20001, from: 0, until },
  at: ++now * 1000,
  certain: true,
})
const pairs = (found: ReturnType<ReturnType<typeof createTracker>['wrote']>) =>
  found.map(({ first, second }) => `${first.run.runId} ${second.run.runId}`)

describe('collisions of writes', () => {
  it('are of two agents, told once for each file and pair of runs', () => {
    const it = createTracker()
    expect(it.wrote('/a', by('ada'))).toEqual([])
    expect(it.wrote('/a', by('ada', 'r-other'))).toEqual([])
    expect(pairs(it.wrote('/a', by('bob')))).toEqual(['r-ada r-bob', 'r-other r-bob'])
    expect(it.wrote('/a', by('bob'))).toEqual([])
    expect(it.wrote('/a', by('ada'))).toEqual([])
    expect(pairs(it.wrote('/a', by('cyd')))).toEqual(['r-other r-cyd', 'r-bob r-cyd', 'r-ada r-cyd'])
    expect(it.wrote('/b', by('bob'))).toEqual([])
  })

  it('are none with a run that had ended before the second write', () => {
    const it = createTracker()
    now = 100
    it.wrote('/a', by('ada', 'r-ada', 102_000))
    now = 200
    expect(it.wrote('/a', by('bob'))).toEqual([])
  })

  it('are counted beyond the share of a pair', () => {
    const it = createTracker()
    const told = Array.from({ length: mostToldOfPair + 30 }, (_, n) => {
      it.wrote(`/f${n}`, by('ada'))
      return it.wrote(`/f${n}`, by('bob')).length
    })
    expect(told.filter(Boolean)).toHaveLength(mostToldOfPair)
    expect(it.beyond()).toMatchObject([{ count: 30, latest: { thing: { path: `/f${mostToldOfPair + 29}` } } }])
    it.wrote('/g', by('cyd'))
    expect(pairs(it.wrote('/g', by('ada')))).toEqual(['r-cyd r-ada'])
    it.forget('r-bob')
    expect(it.beyond()).toEqual([])
    expect(it.wrote('/f0', by('bob', 'r-next'))).toHaveLength(1)
  })

  it('forget the oldest files when there are too many', () => {
    const it = createTracker()
    for (let n = 0; n <= 20_000; n++) it.wrote(`/f${n}`, by('ada'))
    expect(it.wrote('/f0', by('bob'))).toEqual([])
    expect(it.wrote('/f20000', by('bob'))).toHaveLength(1)
  })
})

describe('what a path stands for', () => {
  it.each([
    ['/crew/shared/web/a.ts', { kind: 'file' }],
    ['/crew/shared/web/.git/index', { kind: 'git_index', repository: '/crew/shared/web' }],
    ['/crew/shared/web/.git/worktrees/fix/index', { kind: 'git_index', repository: '/crew/shared/web (fix)' }],
    ['/crew/shared/web/.git/refs/heads/a/b', { kind: 'git_branch', repository: '/crew/shared/web', branch: 'a/b' }],
    ['/crew/shared/web/.git/HEAD', { kind: 'git_branch', repository: '/crew/shared/web', branch: 'HEAD' }],
    [
      '/crew/shared/web.git/refs/heads/main',
      { kind: 'git_branch', repository: '/crew/shared/web.git', branch: 'main' },
    ],
    ['/crew/shared/index', { kind: 'file' }],
    ['/crew/shared/web/.github/index', { kind: 'file' }],
  ])('%s', (path, thing) => {
    expect(thingAt(path)).toEqual({ path, ...thing })
  })
})
