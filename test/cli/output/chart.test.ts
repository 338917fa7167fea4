import { describe, expect, it } from 'vitest'
import { barChart, lineChart } from '../../../cli/output/chart.ts'
import { painter } from '../../../cli/output/theme.ts'

const axes = {
  width: 24,
  height: 5,
  label: (value: number) => String(Math.round(value * 10) / 10),
  from: '00:00',
  to: '05:00',
  paint: painter(false),
}

describe('a chart', () => {
  it('draws values as a line between axes', () =>
    expect(lineChart([0, 2, 4, 4, 1, 0], axes)).toBe(
      [
        '4 ┤     ┌─────┐',
        '  │     │     │',
        '2 ┤  ┌──┘     │',
        '  │  │        └──┐',
        '0 ┤──┘           └───',
        '  └──────────────────',
        '   00:00        05:00',
      ].join('\n'),
    ))

  it('draws values as bars between axes', () =>
    expect(barChart([0, 2, 4, 4, 1, 0], axes)).toBe(
      [
        '4 ┤      ██ ██',
        '  │      ██ ██',
        '2 ┤   ▄▄ ██ ██',
        '  │   ██ ██ ██ ▂▂',
        '0 ┤   ██ ██ ██ ██',
        '  └──────────────────',
        '   00:00        05:00',
      ].join('\n'),
    ))

  it('shows whatever is more than nothing as a bar', () =>
    expect(barChart([1000, 1], { ...axes, width: 10 }).split('\n')[4]).toBe('   0 ┤█ ▁'))

  it('of more values than columns draws the largest of neighbours', () => {
    const rows = lineChart([...Array(39).fill(0), 7], axes).split('\n')
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(axes.width)
    expect(rows[0]).toBe(`  7 ┤${' '.repeat(12)}┌─`)
  })

  it.each([lineChart, barChart])('has axes where there is nothing', (draw) => {
    const rows = draw([0, 0, 0], axes).split('\n')
    expect(rows[0]).toBe('  1 ┤')
    expect(rows.at(-2)).toContain('└──')
  })

  it('is coloured only where colours belong', () => {
    expect(lineChart([1, 2], { ...axes, paint: painter(true) })).toContain('\u001b[36m')
    expect(lineChart([1, 2], axes)).not.toContain('\u001b')
  })
})
