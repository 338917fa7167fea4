import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><circle r="1"/></svg>'

describe('muster agents avatar', () => {
  it('is set from a file, fetched and removed', async () => {
    const { run, home } = await cliFor(await daemon(), 'OWNER')
    await run('agents', 'create', 'Ada')
    const file = join(home, 'ada.svg')
    writeFileSync(file, svg)
    expect(await run('agents', 'avatar', 'show', 'ada')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('muster agents avatar set AGENT FILE'),
    })
    expect(await run('agents', 'avatar', 'set', 'ada', file)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Stored the picture of ada.'),
    })
    expect((await run('agents', 'avatar', 'set', 'ada', file)).code).toBe(5)
    expect((await run('agents', 'avatar', 'show', 'ada', '--to', '-')).stdout).toBe(svg)
    const copy = join(home, 'copy.svg')
    expect((await run('agents', 'avatar', 'show', 'ada', '--to', copy)).code).toBe(0)
    expect(readFileSync(copy, 'utf8')).toBe(svg)
    expect((await run('agents', 'avatar', 'remove', 'ada')).code).toBe(2)
    expect((await run('agents', 'avatar', 'remove', 'ada', '--yes')).code).toBe(0)
    expect((await run('agents', 'avatar', 'show', 'ada')).code).toBe(3)
  })
})

describe('what describes agents and crews', () => {
  it('is given by flags, and cleared by empty text', async () => {
    const { run, home } = await cliFor(await daemon(), 'OWNER')
    const forms = join(home, 'forms.json')
    const field = { name: 'day', label: 'Day', type: 'date' }
    writeFileSync(forms, JSON.stringify([{ id: 'leave', label: 'Leave', template: '{{day}}', fields: [field] }]))
    const told = ['--memory', '--suggested-prompts', 'Hi\nHo', '--ask-forms', `@${forms}`, '--avatar-seed', 'x']
    const made = JSON.parse((await run('agents', 'create', 'Ada', ...told, '--json')).stdout)
    expect(made).toMatchObject({ memory_enabled: true, suggested_prompts: 'Hi\nHo', avatar_seed: 'x' })
    expect(made.ask_forms).toContain('"leave"')
    const cleared = ['--no-memory', '--suggested-prompts', '', '--ask-forms', '']
    expect(JSON.parse((await run('agents', 'update', 'ada', ...cleared, '--json')).stdout)).toMatchObject({
      memory_enabled: false,
      suggested_prompts: null,
      ask_forms: null,
    })
    const crew = ['--avatar-style', 'pixel', '--issue-prefix', 'WEB', '--max-ephemeral-agents', '3']
    expect(JSON.parse((await run('crews', 'create', 'Web', ...crew, '--json')).stdout)).toMatchObject({
      avatar_style: 'pixel',
      issue_prefix: 'WEB',
      max_ephemeral_agents: 3,
    })
  })
})

describe('muster system', () => {
  it('tells of the daemon, its runtime and what it reports', async () => {
    const { run } = await cliFor(await daemon(), 'OWNER')
    expect(JSON.parse((await run('system', 'daemon', '--json')).stdout)).toMatchObject({ status: 'ok' })
    expect(JSON.parse((await run('system', 'runtime', '--json')).stdout)).toMatchObject({ available: false })
    expect(JSON.parse((await run('system', 'telemetry', '--json')).stdout)).toEqual({
      enabled: false,
      install_id: null,
    })
  })
})
