import type { Static } from 'typebox'
import type { AgentRow } from '#contract/agents'
import type { Hire as Schema } from '#contract/hires'
import { age, status, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Hire = Static<typeof Schema>
type Row = Static<typeof AgentRow>

export const hireView: View<Hire> = {
  name: ({ slug }) => slug,
  columns: {
    NAME: ({ slug }) => slug,
    STATUS: (it) => status(it.status),
    UNTIL: ({ expires_at }) => when(expires_at),
    APPROVAL: ({ approval_id }) => approval_id,
  },
}

/** Why it was hired the last time. */
const reason = ({ hire_reason }: Row): string =>
  (hire_reason ?? '')
    .split('\n')
    .at(-1)!
    .replace(/^\[[^\]]*\] (?:re)?hire: /, '')

export const hiredView: View<Row> = {
  name: ({ slug }) => slug,
  empty: 'Nobody is hired. Next: muster hire --crew CREW --template TEMPLATE --reason TEXT',
  columns: {
    NAME: ({ slug }) => slug,
    CREW: ({ crew }) => crew?.slug,
    STATUS: (it) => status(it.expired_at ? 'EXPIRED' : it.status),
    UNTIL: ({ expired_at, expires_at }) => when(expired_at ?? expires_at),
    REASON: reason,
    AGE: ({ created_at }) => age(created_at),
  },
}
