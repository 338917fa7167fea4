import { describe, expect, it } from 'vitest'
import { treeLines } from '../../../cli/runs/tree-lines.ts'
import { cliFor } from '../../support/cli.ts'
import { type Delegating, delegating } from '../../support/delegating.ts'
import { eventually } from '../../support/eyes.ts'
import { openStream } from '../../support/runs.ts'

const idOf = ({ body }: { body: unknown }) => (body as { assignment_id: string }).assignment_id

async function office(options: Parameters<typeof delegating>[0] = {}) {
  const it = await delegating(options)
  return { it, ...(await cliFor(it, 'MANAGER')) }
}

describe('muster assignments', () => {
  it('lists, shows and cancels', async () => {
    const { it, run } = await office({ most: 1 })
    const [one, two] = [idOf(await it.assign('bob', 'Count\nall')), idOf(await it.assign('cleo', 'Weigh'))]
    expect((await run('assignments', 'list', 'backend', '-q')).stdout).toBe(`${two}\n${one}\n`)
    const table = (await run('assignments', 'list', '-o', 'table')).stdout
    expect(table).toMatch(/QUEUED.*ada.*cleo \(backend\).*Weigh/i)
    expect(table).toMatch(/RUNNING.*ada.*bob \(backend\).*Count/i)
    const shown = (await run('assignments', 'show', one, '-o', 'table')).stdout
    expect(shown).toContain('Agent ada (@ada)')
    expect(shown).toContain('Count\nall')
    expect(await run('assignments', 'cancel', two)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`Assignment ${two} is cancelled.`),
    })
    expect(await run('assignments', 'cancel', two)).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/It is over: CANCELLED.*muster assignments show/s),
    })
    const json = JSON.parse((await run('assignments', 'show', two, '--json=state,error_message')).stdout)
    expect(json).toEqual({ state: 'CANCELLED', error_message: 'Cancelled by The MANAGER' })
    expect((await run('assignments', 'show', 'cnone00000000000000000000')).code).toBe(3)
  })
})

describe('muster runs tree', () => {
  it('shows who works on what, and the reply as JSON', async () => {
    const { it, run } = await office()
    const one = idOf(await it.assign('bob', 'Count'))
    const bob = (await it.shown(one)).run_id
    await it.assign('cleo', 'Weigh', { agent: it.bob, run: bob })
    const shown = (await run('runs', 'tree', it.runId, '-o', 'table')).stdout
    expect(shown).toContain('Agent ada (@ada)')
    expect(shown.trimEnd().split('\n').slice(-2)).toEqual([
      expect.stringMatching(/^└ @bob {2}running {2}.* {2}Count$/),
      expect.stringMatching(/^ {2}└ @cleo {2}running {2}.* {2}Weigh$/),
    ])
    const { run_id, assignments } = JSON.parse((await run('runs', 'tree', it.runId, '--json')).stdout)
    expect([run_id, assignments.map(({ agent_slug }: { agent_slug: string }) => agent_slug)]).toEqual([
      it.runId,
      ['bob', 'cleo'],
    ])
    expect((await run('runs', 'tree', 'cnone00000000000000000000')).code).toBe(3)
  })

  it('draws branches below those that they hang on', () => {
    const at = '2026-01-01T00:00:00Z'
    const branch = (id: string, parent: string | null, state: string) => ({
      id,
      parent,
      name: `@${id}`,
      about: `Task of ${id}\nin detail`,
      state,
      created_at: at,
      started_at: state === 'QUEUED' ? null : at,
      finished_at: state === 'COMPLETED' ? '2026-01-01T00:00:05Z' : null,
    })
    const branches = [branch('a', null, 'COMPLETED'), branch('b', null, 'RUNNING'), branch('c', 'a', 'QUEUED')]
    expect(treeLines(branches, Date.parse(at) + 90_000)).toEqual([
      '├ @a  completed  5 s  Task of a',
      '│ └ @c  queued  1 min  Task of c',
      '└ @b  running  1 min  Task of b',
    ])
  })
})

describe('a chat in which work is delegated', () => {
  const begun = async (): Promise<{ it: Delegating; id: string }> => {
    const it = await delegating({ most: 1 })
    return { it, id: idOf(await it.assign('bob')) }
  }

  it('streams how it stands, without numbers', async () => {
    const { it, id } = await begun()
    const stream = await openStream(it.base, it.person('OWNER'), it.chat, '?follow=true')
    await stream.until('run_begin')
    const second = idOf(await it.assign('cleo', 'Weigh'))
    await it.says((await it.shown(id)).run_id, '42 files')
    const found = []
    while (found.length < 4) found.push((await stream.until('stream.assignment')).at(-1)!)
    const said = { type: 'stream.assignment', from: 'ada', depth: 1 }
    expect(found).toEqual([
      { ...said, event: 'created', id: second, target: 'cleo', task: 'Weigh', status: 'PENDING' },
      { ...said, event: 'queued', id: second, target: 'cleo', task: 'Weigh', status: 'QUEUED' },
      {
        ...said,
        event: 'completed',
        id,
        target: 'bob',
        task: 'Count the files',
        status: 'COMPLETED',
        run_id: expect.any(String),
        result: '42 files',
      },
      {
        ...said,
        event: 'running',
        id: second,
        target: 'cleo',
        task: 'Weigh',
        status: 'RUNNING',
        run_id: expect.any(String),
      },
    ])
  })

  it('shows a line for each run, further in for what was passed on', async () => {
    const it = await delegating({ began: false })
    const { terminal } = await cliFor(it)
    const size = { cols: 80, rows: 24 }
    const shown = terminal(['chat', 'ada', '--new'], { ...size, env: { NO_COLOR: '1' } })
    const shows = (text: string) => eventually(shown, (lines) => lines.some((line) => line.includes(text)), size)
    await eventually(shown, (lines) => lines.at(-1) === '›', size)
    shown.type('Ask them\r')
    const program = await it.runtime.program(0)
    const ada = { agent: it.agentId, run: program.spec.runId }
    const id = idOf(await it.assign('bob', 'Count', ada))
    const bob = (await it.shown(id)).run_id
    const inner = idOf(await it.assign('cleo', 'Weigh', { agent: it.bob, run: bob }))
    await it.says((await it.shown(inner)).run_id, 'Ten pounds')
    const lines = await shows('Ten pounds')
    const told = lines.filter((line) => /@bob|@cleo/.test(line))
    expect(told).toEqual(['  ↳ @bob works on: Count', '    ↳ @cleo works on: Weigh', '    ✓ @cleo answers: Ten pounds'])
    await it.says(ada.run, 'So be it')
    await shows('So be it')
    shown.type('\u0004')
    await shown.ended
  })
})
