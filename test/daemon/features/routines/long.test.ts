import { createTwoFilesPatch } from 'diff'
import { describe, expect, it } from 'vitest'
import { queries } from '../../../../daemon/features/routines/queries.ts'
import { routines, type Step } from '../../../support/routines.ts'

/** A list of texts as an expression, of exactly as many characters, that is reckoned to the number of its texts. */
function listOf(characters: number): string {
  const [begin, one, end] = ['size([', '"abcdefgh",', '"x"])']
  const texts = Math.floor((characters - begin.length - end.length) / one.length)
  const text = begin + one.repeat(texts) + end
  return text.padEnd(characters)
}
const most = 1_048_576
const code = (text: string, more: object = {}): Step => ({ id: 'a', type: 'code', code: { code: text, ...more } })

describe('long code', () => {
  it('of 1 MiB is saved, tested and reckoned with, and of one byte more is not', { timeout: 120_000 }, async () => {
    const { call, W, save, run } = await routines()
    const text = listOf(most)
    expect(text).toHaveLength(most)
    await save('long', [code(text)])
    const { body } = await call('MANAGER', 'POST', `${W}/pipelines/test_run`, {
      definition: { dsl_version: '1.0', name: 'long', steps: [code(text)] },
    })
    expect(body).toMatchObject({ ok: true, steps: [{ would: expect.stringMatching(/^reckon size\(\[.{1,200}…$/) }] })
    expect(await run('long')).toMatchObject({ status: 'COMPLETED', output: 95_325 })

    const definition = { dsl_version: '1.0', name: 'more', steps: [code(`${text} `)] }
    const refused = await call('OWNER', 'POST', `${W}/pipelines/save`, {
      slug: 'more',
      definition,
      skip_test_gate: true,
    })
    expect(refused.body).toMatchObject({ code: 'routine_invalid', field: 'definition.steps[0].code.code' })
  })

  it('full of what JSON escapes fits as well, sent as text', { timeout: 120_000 }, async () => {
    const { call, W } = await routines()
    const text = `len('${'"'.repeat(most - 7)}')`
    const definition = JSON.stringify({ dsl_version: '1.0', name: 'quotes', steps: [code(text, { runtime: 'expr' })] })
    const saved = await call('OWNER', 'POST', `${W}/pipelines/save`, {
      slug: 'quotes',
      definition,
      skip_test_gate: true,
      skip_governance_gate: true,
    })
    expect(saved.status, saved.text).toBe(201)
    const { body } = await call('MANAGER', 'POST', `${W}/pipelines/quotes/run`, {})
    expect(body).toMatchObject({ status: 'COMPLETED', output: most - 7 })
  })

  it('says what is wrong with it, with its place', { timeout: 60_000 }, async () => {
    const { call, W } = await routines()
    const bad = code(`${listOf(60_000).trimEnd()} +`)
    const definition = { dsl_version: '1.0', name: 'bad', steps: [{ ...code('1'), id: 'b' }, bad] }
    const { status, body } = await call('OWNER', 'POST', `${W}/pipelines/save`, { slug: 'bad', definition })
    expect(status).toBe(422)
    expect(body.errors).toEqual([{ path: 'steps[1].code.code', message: expect.stringMatching(/^cannot be read: /) }])
  })

  it('reads inputs, other steps and its variables, and its failures are the step’s', { timeout: 60_000 }, async () => {
    const { save, run } = await routines()
    const long = (text: string) => `${listOf(30_000).trimEnd()} > 0 ? ${text} : null`
    await save(
      'reads',
      [
        { id: 'first', type: 'transform', transform: { input: { n: 5 }, expression: '.' } },
        code(long('[inputs.who, steps.first.output.n, env.X]'), { env: { X: '{{ inputs.who }}!' } }),
      ],
      { inputs: [{ name: 'who', type: 'string' }] },
    )
    expect(await run('reads', { inputs: { who: 'Ada' } })).toMatchObject({ output: ['Ada', 5, 'Ada!'] })
    await save('fails', [{ ...code(long('inputs.nobody.name')), on_fail: 'abort' }])
    expect(await run('fails')).toMatchObject({ status: 'FAILED' })
  })

  it('is reckoned with again after a stop in the middle of it', { timeout: 60_000 }, async () => {
    const { app, save, run, restart, stop, until } = await routines()
    await save('again', [code(listOf(60_000))])
    const { run: read } = app.reads
    const reckoning = new Promise<() => void>((begun) => {
      app.reads.run = async (lane, job, args) => {
        if (job === 'reckon') await new Promise<void>(begun)
        return read(lane, job, args)
      }
    })
    const started = run('again')
    const goOn = await reckoning
    stop()
    app.reads.run = read
    goOn()
    restart()
    const { run_id } = await started
    expect(await until(run_id, 'completed', 'failed')).toMatchObject({ status: 'completed', output: 5454 })
  })
})

describe('long definitions', () => {
  it('do not weigh on lists of versions: nothing is read past their other columns', async () => {
    const { app } = await routines()
    const { versions } = queries(app.db)
    expect(versions.columns().map(({ name }) => name)).not.toContain('definition_json')
    const columns = app.db.pragma('table_info(routine_versions)') as { name: string }[]
    expect(columns.at(-1)!.name).toBe('definition_json')
  })

  it('are exported with the newest versions before them, as many as fit', { timeout: 120_000 }, async () => {
    const { call, W, save } = await routines()
    for (let n = 0; n < 10; n++) await save('grown', [code(`${listOf(most).trimEnd()} + ${n}`.slice(0, most))])
    const { status, body, text } = await call('VIEWER', 'GET', `${W}/pipelines/grown/export?include_history=1`)
    expect(status).toBe(200)
    expect(body.history.map(({ version }: { version: number }) => version)).toEqual([10, 9, 8, 7, 6, 5])
    expect(await call('OWNER', 'POST', `${W}/pipelines/import`, JSON.parse(text))).toMatchObject({ status: 201 })
  })

  it('that share nothing are compared in bounded time', { timeout: 60_000 }, async () => {
    const { call, W, save } = await routines()
    const lines = (letter: string) => Array.from({ length: 40_000 }, (_, n) => `"${letter}${n}"`).join(',\n')
    for (const letter of ['a', 'b']) await save('other', [code(`size([${lines(letter)}])`)])
    const { body } = await call('VIEWER', 'GET', `${W}/pipelines/other/diff?from=1&to=2`)
    const patch = body.unified_diff as string
    expect(patch).toMatch(/^=+\n--- other \(version 1\)\n\+\+\+ other \(version 2\)\n@@ -1,\d+ \+1,\d+ @@\n/)
    expect(patch.match(/^-.*"a\d+"/gm)).toHaveLength(40_000)
    expect(patch.match(/^\+.*"b\d+"/gm)).toHaveLength(40_000)
    const small = createTwoFilesPatch('x', 'y', 'a\n', 'b\n')
    expect(small.split('\n')[0]).toBe(patch.split('\n')[0])
  })
})
