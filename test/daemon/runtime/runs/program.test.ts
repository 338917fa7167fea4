import { expect, it } from 'vitest'
import type { App } from '#kernel/app'
import type { RunRef, Runtime } from '#runtime/types'
import type { Run } from '../../../../daemon/features/runs/service.ts'
import {
  clientSessionId,
  discardPrograms,
  programIds,
  programOf,
  runOfProgram,
} from '../../../../daemon/runtime/runs/program.ts'

const agent = { slug: 'ada' } as unknown as RunRef['agent']
const run = (attempt: number) => ({ id: 'c1', crew_id: 'k1', attempt }) as Run

it('programs have the id of their run, the later ones a number behind it', () => {
  expect([programIds(run(0)), programIds(run(2))]).toEqual([['c1'], ['c1', 'c1-1', 'c1-2']])
  expect(['c1', 'c1-2'].map(runOfProgram)).toEqual(['c1', 'c1'])
  expect(programOf(run(0), { agent })).toEqual({ crewId: 'k1', runId: 'c1', agent })
  expect(programOf(run(2), { agent })).toEqual({ crewId: 'k1', runId: 'c1-2', agent })
})

it('the session of a program is a UUID that follows from its id', () => {
  // printf muster/session/c1 | sha256sum
  expect(clientSessionId('c1')).toBe('883ecf32-a436-41b1-8a2f-ab3717123d7b')
  expect(clientSessionId('c1-1')).not.toBe(clientSessionId('c1'))
})

it('all programs of a run are discarded, or are left for later with a word in the log', async () => {
  const discarded: RunRef[] = []
  const warned: unknown[] = []
  const runtime = { discardRun: async (ref: RunRef) => void discarded.push(ref) } as unknown as Runtime
  const app = { write: () => Promise.reject(new Error('full')), log: { warn: (it: unknown) => warned.push(it) } }
  await discardPrograms(app as unknown as App, runtime, run(1), { agent })
  expect(discarded).toEqual([
    { crewId: 'k1', runId: 'c1', agent },
    { crewId: 'k1', runId: 'c1-1', agent },
  ])
  expect(warned).toMatchObject([{ run: 'c1', err: { message: 'full' } }])
})
