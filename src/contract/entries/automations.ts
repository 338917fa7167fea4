import { Type } from 'typebox'
import { audits, entry } from './define.ts'
import { quoted } from './quote.ts'

const Of = { automation_id: Type.String(), automation_name: Type.String() }

/** What automations do, and leave undone. docs/automations.md. */
export const automationFacts = {
  ...audits('automation', 'The automation', quoted),
  'automation.throttled': entry(
    'automation.throttled',
    'warn',
    Type.Object({
      ...Of,
      event_type: Type.String(),
      max_per_hour: Type.Integer(),
      window_started_at: Type.String(),
    }),
    ({ automation_name, max_per_hour }) =>
      `The automation ${quoted(automation_name)} has begun as much as it may in an hour (${max_per_hour})`,
  ),
  'automation.depth_exceeded': entry(
    'automation.depth_exceeded',
    'error',
    Type.Object({
      ...Of,
      routine_slug: Type.String(),
      chain_depth: Type.Integer(),
      max_chain_depth: Type.Integer(),
      origin_run_id: Type.Optional(Type.String()),
      reason: Type.Optional(Type.String()),
    }),
    ({ automation_name, max_chain_depth }) =>
      `The automation ${quoted(automation_name)} began nothing: ` +
      `routines have started each other ${max_chain_depth} times`,
  ),
}
