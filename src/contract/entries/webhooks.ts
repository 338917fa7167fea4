import { Type } from 'typebox'
import { audits, entry } from './define.ts'
import { quoted } from './quote.ts'

/** Webhooks of routines. docs/webhooks.md. */
export const webhookFacts = {
  ...audits('webhook', 'The webhook', quoted),
  'webhook.failed': entry(
    'webhook.failed',
    'error',
    Type.Object({
      webhook_id: Type.String(),
      name: Type.String(),
      pipeline_slug: Type.String(),
      consecutive_failures: Type.Integer(),
      reason: Type.String(),
    }),
    ({ name, consecutive_failures }) =>
      `Calls of the webhook ${quoted(name)} could not begin its routine ${consecutive_failures} times in a row`,
  ),
}
