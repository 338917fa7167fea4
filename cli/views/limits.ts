import type { Static } from 'typebox'
import type { Limiter as Schema } from '#contract/limits'
import type { View } from '../output/printer.ts'

type Limiter = Static<typeof Schema>

const source = ({ overridden }: Limiter) => (overridden ? { text: 'set', tone: 'yellow' as const } : 'configuration')

export const limiterView: View<Limiter> = {
  name: ({ key }) => key,
  columns: {
    NAME: ({ key }) => key,
    VALUE: ({ value }) => value,
    DEFAULT: (it) => it.default,
    UNIT: ({ unit }) => unit,
    SOURCE: source,
  },
  detail: {
    Key: ({ key }) => key,
    What: ({ description }) => description,
    Value: ({ value, unit }) => `${value} ${unit}`,
    Default: (it) => it.default,
    Range: ({ min, max }) => `${min} to ${max}`,
    Source: source,
  },
}
