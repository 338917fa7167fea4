import { describe, expect, it } from 'vitest'
import { daemon, type TestDaemon } from '#test'
import { createMarks } from '../../../daemon/runtime/checkpoints/marks.ts'
import { RuntimeError } from '../../../daemon/runtime/errors.ts'
import type { MarksRequest } from '../../../daemon/runtime/marks/wire.ts'
import { FakeRuntime } from '../../support/fake-runtime.ts'

const marked = { files: 2, folders: 1, links: 0, bytes: 10, leftOut: 0, leftOutPaths: [], tooDeep: 0, moving: 0 }
const answers = {
  mark: marked,
  prune: {},
  restore: { written: 1, removed: 2, left: 0 },
  changes: { added: 1, changed: 0, deleted: 0, entries: [] },
  diff: { state: 'text', diff: '-1\n+2\n' },
}
const willing = async ({ op }: MarksRequest): Promise<unknown> => answers[op]

/** A daemon whose crew's files are marked as the test says. */
async function scene(answer: (request: MarksRequest) => Promise<unknown> = willing) {
  const it = await daemon({ quiet: true })
  const runtime = new FakeRuntime()
  runtime.answerMarks = answer
  const crew = (await it.call('MANAGER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body
  const issue = (await it.call('MANAGER', 'POST', `/crews/${crew.id}/issues`, { title: 'Rewrite' })).body
  const stops: string[] = []
  const act = (name: string) => async (id: string) => {
    stops.push(`${name} ${id}`)
    return { ...(await it.app.runtime.status(id)) }
  }
  it.app.runtime = { ...it.app.runtime, start: act('start'), stop: act('stop') }
  Object.assign(runtime, { observe: async () => [] })
  const marks = createMarks(it.app, runtime)
  it.app.marks = marks
  const make = async () => (await it.call('MANAGER', 'POST', `/missions/${issue.id}/checkpoints`)).body
  const rewind = (id: string, body: object = {}) => it.call('MANAGER', 'POST', `/checkpoints/${id}/rewind`, body)
  return { it, runtime, crew, marks, make, rewind, stops }
}

const newest = async (it: TestDaemon, type: string) =>
  (await it.call('OWNER', 'GET', `/journal?entry_type=${type}`)).body.entries[0]

describe('a checkpoint', () => {
  it('says how many files it marks', async () => {
    const { make } = await scene()
    expect((await make()).state.meta).toEqual({
      files: { state: 'marked', files: 2, folders: 1, links: 0, bytes: 10, moving: 0 },
    })
  })

  it('says why it marks none', async () => {
    const { it, make } = await scene(async () => {
      throw new RuntimeError('refused', 'the disk is nearly full')
    })
    const { id, state } = await make()
    expect(state.meta).toEqual({ files: { state: 'failed', reason: 'the disk is nearly full' } })
    for (const path of ['files', 'files/diff?path=x'])
      expect(await it.call('MANAGER', 'GET', `/checkpoints/${id}/${path}`)).toMatchObject({
        status: 409,
        body: { code: 'files_not_marked', detail: expect.stringContaining('the disk is nearly full') },
      })
  })

  it('says so where the server was restarted while files were marked', async () => {
    const { it, marks, make } = await scene()
    const { id } = await make()
    it.app.db.prepare("UPDATE checkpoints SET mark_state = 'marking', mark_json = NULL").run()
    await marks.recover()
    const files = async () => (await it.call('VIEWER', 'GET', `/checkpoints/${id}`)).body.state.meta.files
    await expect.poll(files).toMatchObject({ state: 'failed', reason: expect.stringMatching(/restarted/) })
  })

  it('keeps its marks until no checkpoint names them', async () => {
    const { it, runtime, make } = await scene()
    const { id } = await make()
    const fork = (await it.call('MANAGER', 'POST', `/checkpoints/${id}/fork`)).body.new_checkpoint_id
    const pruned = () => runtime.marking.filter(({ op }) => op === 'prune')
    await it.call('MANAGER', 'DELETE', `/checkpoints/${id}`)
    await expect.poll(pruned).toEqual([{ op: 'prune', keep: [id] }])
    await it.call('MANAGER', 'DELETE', `/checkpoints/${fork}`)
    await expect.poll(() => pruned()[1]).toEqual({ op: 'prune', keep: [] })
  })
})

describe('a rewind', () => {
  it('stops the crew, marks how the files are, puts them back, and lets the crew go on', async () => {
    const { it, runtime, crew, make, rewind, stops } = await scene()
    const { id } = await make()
    const { status, body } = await rewind(id, { crew_id: crew.id })
    expect({ status, body }).toEqual({
      status: 200,
      body: { checkpoint_id: id, crew_id: crew.id, before_checkpoint_id: expect.any(String), written: 1, removed: 2 },
    })
    const before = body.before_checkpoint_id
    expect(runtime.marking.slice(1)).toEqual([
      expect.objectContaining({ op: 'mark', id: before, keep: expect.arrayContaining([id, before]) }),
      { op: 'restore', id },
    ])
    expect(stops).toEqual([`stop ${crew.id}`, `start ${crew.id}`])
    const shown = (await it.call('VIEWER', 'GET', `/checkpoints/${before}`)).body
    expect(shown).toMatchObject({
      label: `before the rewind to ${id}`,
      state: { meta: { files: { state: 'marked' } } },
    })
    const payload = { checkpoint_id: id, before_checkpoint_id: before }
    expect((await newest(it, 'files.rewind_started')).payload).toMatchObject(payload)
    expect((await newest(it, 'files.rewound')).payload).toMatchObject({ ...payload, written: 1, removed: 2 })
  })

  it('puts nothing back where the files as they are cannot be marked', async () => {
    let marks = 0
    const { it, runtime, make, rewind } = await scene(async ({ op }) => {
      if (op === 'mark' && marks++) throw new RuntimeError('refused', 'the disk is full')
      return answers[op]
    })
    const { id } = await make()
    const { status, body } = await rewind(id)
    expect({ status, code: body.code }).toEqual({ status: 502, code: 'runtime_failed' })
    expect(body.detail).toMatch(/^No file was put back: .*the disk is full/)
    expect(runtime.marking.some(({ op }) => op === 'restore')).toBe(false)
    expect((await newest(it, 'files.rewind_failed')).payload).toMatchObject({ touched: false })
    expect((await rewind(id)).body.code).toBe('runtime_failed')
  })

  it('says where not all was put back, and which checkpoint has how it was', async () => {
    const { it, make, rewind } = await scene(async ({ op }) =>
      op === 'restore' ? { written: 1, removed: 0, left: 3 } : answers[op],
    )
    const { body } = await rewind((await make()).id)
    expect(body.detail).toMatch(/^Not all files were put back: 3 of them differ/)
    expect(body.detail).toContain(body.before_checkpoint_id)
    expect((await newest(it, 'files.rewind_failed')).payload).toMatchObject({ touched: true })
  })

  it('puts nothing back where folders are too deep to be marked', async () => {
    const { runtime, make, rewind } = await scene(async ({ op }) =>
      op === 'mark' ? { ...marked, leftOut: 1, tooDeep: 1, leftOutPaths: ['/output/deep/*'] } : answers[op],
    )
    expect((await rewind((await make()).id)).body.detail).toContain('/output/deep')
    expect(runtime.marking.some(({ op }) => op === 'restore')).toBe(false)
  })

  it('is refused to another crew, while runs are open, and while another one goes on', async () => {
    let go = () => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    const { it, crew, make, rewind } = await scene(async ({ op }) => {
      if (op === 'restore') await held
      return answers[op]
    })
    const { id } = await make()
    expect(await rewind(id, { crew_id: 'other' })).toMatchObject({ status: 400, body: { field: 'crew_id' } })
    const first = rewind(id)
    await expect.poll(async () => (await rewind(id)).body.code).toBe('rewind_open')
    expect((await it.call('MANAGER', 'DELETE', `/checkpoints/${id}`)).body.code).toBe('rewind_open')
    // A run that is asked for meanwhile waits.
    const waited: string[] = []
    let released = false
    const release = it.app.marks
      .released(crew.id, (why) => waited.push(why), new AbortController().signal)
      .then(() => {
        released = true
      })
    expect(waited).toEqual(["The crew's files are being put back"])
    expect(released).toBe(false)
    go()
    expect((await first).status).toBe(200)
    await release
  })

  it('keeps what its issue has until it is over; deleting the issue later drops the marks', async () => {
    let go = () => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    const { it, runtime, crew, make, rewind } = await scene(async ({ op }) => {
      if (op === 'restore') await held
      return answers[op]
    })
    const { id } = await make()
    const going = rewind(id)
    await expect.poll(() => runtime.marking.some(({ op }) => op === 'restore')).toBe(true)
    const remove = () => it.call('MANAGER', 'DELETE', `/crews/${crew.id}/issues/WEB-1`)
    expect(await remove()).toMatchObject({ status: 409, body: { code: 'rewind_open' } })
    go()
    expect((await going).status).toBe(200)
    expect((await remove()).status).toBe(204)
    await expect.poll(() => runtime.marking.at(-1)).toMatchObject({ op: 'prune', keep: [] })
  })

  it.each(['marking', 'restoring'])('that was %s when the daemon died is finished by the next one', async (phase) => {
    const { it, runtime, crew, make, rewind } = await scene()
    const { id } = await make()
    await rewind(id)
    it.app.db.prepare('UPDATE rewinds SET phase = ?, ended_at = NULL, outcome_json = NULL').run(phase)
    if (phase === 'marking')
      it.app.db.prepare("UPDATE checkpoints SET mark_state = 'marking' WHERE rewind_id IS NOT NULL").run()
    runtime.marking.length = 0
    const next = createMarks(it.app, runtime)
    await next.recover()
    await next.released(crew.id, () => {}, new AbortController().signal)
    const ops = runtime.marking.map(({ op }) => op)
    expect(ops).toEqual(phase === 'marking' ? ['mark', 'restore'] : ['restore'])
    expect((await newest(it, 'files.rewound')).payload).toMatchObject({ checkpoint_id: id })
  })
})
