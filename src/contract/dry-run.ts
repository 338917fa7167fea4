import { type Static, Type } from 'typebox'
import type { Endpoint } from './define.ts'
import { severities } from './entries.ts'

/** The query parameter that asks what a change would do. */
export const dryRunParameter = 'dry_run'

/** The header of an answer to a change that found everything as it was asked for. */
export const unchangedHeader = 'muster-unchanged'

/** What a dry run answers, with 200. */
export const DryRun = Type.Object({
  dry_run: Type.Literal(true),
  status: Type.Integer({ description: 'Status that the change would have answered' }),
  body: Type.Unknown({
    description:
      'Its answer without secrets, with ids and times of this run; null where it comes after the change is stored',
  }),
  entries: Type.Array(
    Type.Object({
      entry_type: Type.String(),
      severity: Type.Enum([...severities]),
      summary: Type.String(),
      payload: Type.Object({}, { additionalProperties: true }),
    }),
    { description: 'Journal entries that the change would have recorded' },
  ),
})
export type DryRun = Static<typeof DryRun>

/** Why there is no dry run of a change, as what follows "because"; null where there is one. */
export function noDryRun({ access, noDryRun: reason, journal }: Endpoint): string | null {
  if (access === 'public') return 'it is open to callers who are not signed in'
  if (access === 'internal') return 'it is for programs of this server'
  return reason ?? (journal ? null : 'it changes nothing that is stored')
}
