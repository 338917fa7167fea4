import type { Code } from './problems.ts'

/** Why a run of a routine is not begun, whoever asks for it. */
export const startRefusals = [
  'invalid_inputs',
  'routine_inactive',
  'routine_busy',
  'missing_credentials',
  'missing_integrations',
] as const satisfies readonly Code[]
