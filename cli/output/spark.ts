const bars = '▁▂▃▄▅▆▇█'

/**
 * Values as a row of bars, the largest at full height; what is 0 or less stands at the bottom. Of more than `width`
 * values, neighbours stand for the largest of them.
 */
export function spark(values: readonly number[], width = 40): string {
  const each = Math.ceil(values.length / width)
  const drawn = Array.from({ length: Math.ceil(values.length / each) }, (_, at) =>
    Math.max(...values.slice(at * each, (at + 1) * each)),
  )
  const most = Math.max(...drawn, 0)
  const height = (value: number) => (value > 0 ? Math.max(1, Math.round((value / most) * (bars.length - 1))) : 0)
  return drawn.map((value) => bars[height(value)]).join('')
}
