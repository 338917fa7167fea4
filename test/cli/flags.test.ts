import { describe, expect, it } from 'vitest'
import { durationMs, expandJson, given, momentOf } from '../../cli/flags.ts'
import { wanted } from '../../cli/output/format.ts'

describe('expandJson', () => {
  // biome-ignore format: one line each
  it.each([
    ['list', false, 'list'],
    ['--json', false, '--json=*'],
    ['--json -q', false, '--json=* -q'],
    ['--json id,name -q', false, '--json=id,name -q'],
    ['--json id,name', true, '--json=id,name'],
    ['--json id', false, '--json=id'],
    ['--json api', true, '--json=* api'],
    ['api --json', true, 'api --json=*'],
    ['--json=id', true, '--json=id'],
    ['--json= api', true, '--json=* api'],
    ['-- --json', true, '-- --json'],
    ['--json a.b,c', true, '--json=a.b,c'],
    ['--json /path,x', false, '--json=* /path,x'],
  ])('reads "%s" (arguments: %s)', (line, takesArguments, expected) =>
    expect(expandJson(line.split(' '), takesArguments).join(' ')).toBe(expected))
})

describe('wanted', () => {
  it.each([
    [{}, { format: 'auto', fields: [] }],
    [{ quiet: true }, { format: 'name', fields: [] }],
    [
      { output: 'yaml', quiet: true },
      { format: 'yaml', fields: [] },
    ],
    [{ json: '*' }, { format: 'json', fields: [] }],
    [{ json: 'a, b' }, { format: 'json', fields: ['a', 'b'] }],
  ])('reads %j', (flags, expected) => expect(wanted(flags)).toEqual(expected))
})

describe('times', () => {
  it.each([
    ['90', 90_000],
    ['1.5s', 1500],
    ['250ms', 250],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['0', 0],
  ])('%s is a duration', (text, ms) => expect(durationMs(text, '--timeout')).toBe(ms))

  it.each(['abc', '-1', '5 m', '1w', '1e3'])('"%s" is none', (text) =>
    expect(() => durationMs(text, '--timeout')).toThrow('--timeout must be a duration'),
  )

  it('names moments by time or by how long ago', () => {
    const now = Date.parse('2026-01-01T12:00:00Z')
    expect(momentOf('2h', '--since', now)).toBe('2026-01-01T10:00:00.000Z')
    expect(momentOf('2026-01-01T11:00:00+01:00', '--since', now)).toBe('2026-01-01T10:00:00.000Z')
    expect(momentOf(undefined, '--since', now)).toBeUndefined()
    expect(() => momentOf('yesterdayish', '--since', now)).toThrow('--since must be a time')
  })
})

it('makes bodies of the flags that were given', () => {
  interface Body {
    name: string
    memory_mb?: number
    description?: string
  }
  const body: Body = given({ name: '', memory_mb: 0, description: undefined })
  expect(body).toEqual({ name: '', memory_mb: 0 })
  expect(Object.keys(body)).toEqual(['name', 'memory_mb'])
  // @ts-expect-error: a member that the body has not got does not compile
  const stray: Body = given({ name: 'x', memory: 512 })
  expect(stray).toBeDefined()
})
