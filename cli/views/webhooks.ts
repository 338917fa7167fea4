import type { Static } from 'typebox'
import type { Webhook as Schema } from '#contract/webhooks'
import { age } from '../output/cell.ts'
import { compactJson } from '../output/json.ts'
import type { View } from '../output/printer.ts'

export type Webhook = Static<typeof Schema>

export const webhookView: View<Webhook> = {
  name: ({ name }) => name,
  empty: 'There are no webhooks. Next: muster webhooks create NAME --routine ROUTINE',
  columns: {
    NAME: ({ name }) => name,
    ROUTINE: ({ target_pipeline_slug }) => target_pipeline_slug,
    ENABLED: ({ enabled }) => enabled,
    TOKEN: ({ token }) => token,
    CALLS: ({ fire_count }) => fire_count,
    LAST: ({ last_status }) => last_status?.toLowerCase() ?? null,
    CALLED: ({ last_fired_at }) => last_fired_at && age(last_fired_at),
    AGE: ({ created_at }) => age(created_at),
  },
  wide: {
    RATE: ({ rate_limit_per_min }) => `${rate_limit_per_min}/min`,
    FAILURES: ({ consecutive_failures }) => consecutive_failures,
    RUN: ({ last_run_id }) => last_run_id,
    INPUTS: ({ inputs_template }) => inputs_template && compactJson(inputs_template),
    ID: ({ id }) => id,
  },
}
