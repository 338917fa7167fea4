import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type RunShown, runShownView } from '../../../cli/views/routines.ts'
import { cliFor } from '../../support/cli.ts'
import { routines } from '../../support/routines.ts'

const greet = `dsl_version: "1.0"
name: greet
inputs:
  - { name: who, type: string, default: world }
steps:
  - id: words
    type: transform
    transform: { input: "Hello, {{ inputs.who }}", expression: . }
`

async function scene() {
  const it = await routines()
  await it.http.listen({ host: '127.0.0.1', port: 0 })
  const folder = mkdtempSync(join(tmpdir(), 'muster-routines-'))
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const { run, screen } = await cliFor(it)
  return { ...it, muster: run, screen, folder, file }
}

describe('muster routines', () => {
  it('are written, tested, saved and run', async () => {
    const { muster, folder } = await scene()
    const path = join(folder, 'new.yaml')
    expect(await muster('routines', 'init', 'new', '--template', 'cost-report', '--file', path)).toMatchObject({
      code: 0,
    })
    expect(readFileSync(path, 'utf8')).toMatch(/^name: new$/m)
    expect(await muster('routines', 'init', 'new', '--file', path)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is there already'),
    })
    const tested = await muster('routines', 'test', path, '--json')
    expect(JSON.parse(tested.stdout)).toMatchObject({ ok: true, risk_reasons: ['code_step'] })
    const saved = await muster('routines', 'save', path)
    expect(saved.stdout + saved.stderr).toContain('waits for approval (code_step)')
    expect(await muster('routines', 'run', 'new')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('approve'),
    })
    expect(await muster('routines', 'approve', 'new')).toMatchObject({ code: 0 })
    const ran = await muster('routines', 'run', 'new', '--json')
    expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'COMPLETED' })
  })

  it('name the approval as what comes next, while one is waited for', async () => {
    const { muster, screen, file } = await scene()
    const at = async (...line: string[]) => {
      const shown = screen(['routines', ...line])
      expect(await shown.ended).toBe(0)
      return shown.text()
    }
    expect(await at('save', file('greet.yaml', greet))).toContain('Next: muster routines show greet')
    const risky = greet.replace(/type: transform[\s\S]*/, "type: code\n    code: { code: '1' }\n")
    expect(await at('save', file('greet.yaml', risky))).toContain('Next: muster routines approve greet')
    const bundle = file('bundle.json', (await muster('routines', 'export', 'greet')).stdout)
    await muster('routines', 'remove', 'greet', '--yes')
    expect(await at('import', bundle)).toContain('Next: muster routines approve greet')
  })

  it('show what is wrong with a definition at its lines', async () => {
    const { muster, file } = await scene()
    const path = file('bad.yaml', greet.replace('type: transform', 'type: transfrom').replace('default:', 'defualt:'))
    const { code, stderr } = await muster('routines', 'save', path)
    expect(code).toBe(2)
    expect(stderr).toContain(`${path}:4: inputs[0].defualt is not known here; did you mean "default"?`)
    expect(stderr).toContain(`${path}:7: steps[0].type must be one of`)

    const both = greet
      .replace('type: transform', 'type: code')
      .replace(/transform: .*/, "code: { code: '1 +' }\n  - { id: next, type: transfrom }")
    const told = await muster('routines', 'test', file('both.yaml', both))
    expect(told.stderr).toMatch(
      /both.yaml:8: steps\[0\].code.code cannot be read[^\n]*\n.*both.yaml:9: steps\[1\].type/,
    )
  })

  it('take inputs as text and as JSON, and tell how it ended by the exit code', async () => {
    const { muster, file } = await scene()
    await muster('routines', 'save', file('greet.yaml', greet))
    const ran = await muster('routines', 'run', 'greet', '--input', 'who=Bob', '--json')
    expect(JSON.parse(ran.stdout)).toMatchObject({ output: 'Hello, Bob' })
    expect(await muster('routines', 'run', 'greet', '--input', 'who=5')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The input "who" must be of type string'),
    })
    const later = await muster('routines', 'run', 'greet', '--delay', '1h', '--json')
    expect(JSON.parse(later.stdout)).toMatchObject({ status: 'SCHEDULED' })
  })

  it('show runs as they go', async () => {
    const { muster, file } = await scene()
    await muster('routines', 'save', file('greet.yaml', greet))
    const { code, stdout } = await muster('routines', 'run', 'greet', '--watch')
    expect(code).toBe(0)
    expect(stdout).toContain('words\ttransform\tcompleted')
    expect(stdout).toContain('greet\tcompleted')
    const listed = JSON.parse((await muster('routines', 'runs', '--json')).stdout)
    expect(listed).toMatchObject([{ pipeline_slug: 'greet', status: 'completed' }])
    const id = listed[0].id as string
    expect(JSON.parse((await muster('routines', 'result', id.slice(-8), '--json')).stdout)).toMatchObject({
      id,
      output: 'Hello, world',
    })
    expect((await muster('routines', 'logs', id)).stdout).toContain('The routine greet was completed')
    expect((await muster('routines', 'result', id)).stdout).toContain('words  transform  completed')
    expect((await muster('routines', 'show', 'greet')).stdout).toContain('expression: .')
    expect(await muster('routines', 'result', id, '--io-step', 'words')).toMatchObject({ code: 0 })
  })

  it('show what tools took and gave, with a mark where that was cut off', () => {
    const span = { seq: 0, kind: 'bash', name: 'Bash', started_at: '', duration_ms: 0, status: 'ok' } as const
    const io = { input: 'make test', output: 'xx', input_truncated: false, output_truncated: true }
    const shown = (sub_spans: RunShown['sub_spans']) => runShownView.below!({ sub_spans } as RunShown)
    expect(shown({ a: [span] })).toBe('')
    expect(shown({ a: [span, { ...span, ...io }] })).toBe('\nBash  ok\n< make test\n> xx […]')
  })

  it('have versions that can be compared and taken back', async () => {
    const { muster, file } = await scene()
    await muster('routines', 'save', file('greet.yaml', greet))
    await muster('routines', 'save', file('greet.yaml', greet.replace('Hello', 'Good day')), '--message', 'politer')
    expect((await muster('routines', 'diff', 'greet')).stdout).toMatch(/-.*Hello[\s\S]*\+.*Good day/)
    expect(JSON.parse((await muster('routines', 'versions', 'greet', '--json')).stdout)).toMatchObject([
      { version: 2, is_head: true, is_active: true, change_summary: 'politer' },
      { version: 1 },
    ])
    expect(await muster('routines', 'rollback', 'greet', '1')).toMatchObject({ code: 0 })
    expect(JSON.parse((await muster('routines', 'run', 'greet', '--json')).stdout).output).toBe('Hello, world')
  })

  it('are carried to another place', async () => {
    const { muster, file } = await scene()
    await muster('routines', 'save', file('greet.yaml', greet))
    const bundle = file('bundle.json', (await muster('routines', 'export', 'greet')).stdout)
    await muster('routines', 'remove', 'greet', '--yes')
    const imported = await muster('routines', 'import', bundle, '--json')
    expect(imported.code, imported.stderr).toBe(0)
    expect(JSON.parse(imported.stdout)).toMatchObject({ slug: 'greet', status: 'active', authored_via: 'imported' })
  })
})

describe('muster schedules', () => {
  it('show the next three times in words, wherever they show a cron expression', async () => {
    const { muster, file, clock } = await scene()
    await muster('routines', 'save', file('greet.yaml', greet))
    const day = (after: number) => {
      const at = new Date(clock() + after * 86_400_000)
      const of = (part: Intl.DateTimeFormatOptions) => at.toLocaleString('en-GB', { ...part, timeZone: 'UTC' })
      return `${of({ weekday: 'short' })} ${of({ day: 'numeric' })} ${of({ month: 'short' })}`
    }
    const year = (after: number) => new Date(clock() + after * 86_400_000).getUTCFullYear()
    // The first time is today or tomorrow.
    const times = (one: (after: number) => string) =>
      [0, 1].map((first) => [0, 1, 2].map((n) => one(first + n)).join(', '))
    const whole = times((after) => `${day(after)} ${year(after)} 12:00`)
    const within = times((after) => `${day(after)} 12:00`)
    const shows = (text: string, wanted: string[]) =>
      expect(
        wanted.filter((one) => text.includes(one)),
        text,
      ).toHaveLength(1)
    const flags = ['--routine', 'greet', '--cron', '0 12 * * *']
    const made = await muster('schedules', 'create', 'noon', ...flags)
    shows(made.stdout + made.stderr, whole)
    const changed = await muster('schedules', 'update', 'noon', '--cron', '00 12 * * *')
    shows(changed.stdout + changed.stderr, whole)
    shows((await muster('schedules', 'list')).stdout, within)
  })
})

describe('muster automations', () => {
  it('are made from flags, previewed, changed and deleted', async () => {
    const { muster, file } = await scene()
    await muster('routines', 'save', file('greet.yaml', greet))
    const flags = [
      '--event',
      'run.failed',
      '--routine',
      'greet',
      '--payload-equals',
      'exit_code=1',
      '--severity',
      'error',
    ]
    const made = await muster(
      'automations',
      'create',
      'On failure',
      ...flags,
      '--input',
      'who={{ event.type }}',
      '--json',
    )
    expect(made.code, made.stderr).toBe(0)
    expect(JSON.parse(made.stdout)).toMatchObject({
      matcher: { severities: ['error'], payload_equals: { exit_code: 1 } },
      action: { routine_slug: 'greet', inputs: { who: '{{ event.type }}' } },
    })
    const preview = await muster('automations', 'preview', 'On failure')
    expect(preview.stdout).toContain('nothing to judge by')
    await muster('automations', 'disable', 'On failure')
    const changed = await muster(
      'automations',
      'update',
      'On failure',
      '--replace-matcher',
      '--payload-equals',
      'n="3"',
      '--json',
    )
    expect(JSON.parse(changed.stdout)).toMatchObject({
      enabled: false,
      matcher: { payload_equals: { n: '3' } },
      action: { routine_slug: 'greet', inputs: { who: '{{ event.type }}' } },
    })
    expect(await muster('automations', 'remove', 'On failure', '--yes')).toMatchObject({ code: 0 })
    expect(await muster('automations', 'enable', 'On failure')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('muster automations list'),
    })
  })
})
