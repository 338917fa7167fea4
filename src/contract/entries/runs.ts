import { Type } from 'typebox'
import { entry, type Severity } from './define.ts'

const Ended = Type.Object({
  chat_id: Type.Optional(Type.String()),
  exit_code: Type.Optional(Type.Integer()),
  error_message: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  metadata: Type.Record(Type.String(), Type.Unknown()),
})

const end = <const T extends string>(type: T, severity: Severity, words: string) =>
  entry(
    type,
    severity,
    Ended,
    ({ error_message }, { agent }) => `${agent}'s run ${words}${error_message ? `: ${error_message}` : ''}`,
  )

export const runFacts = {
  'run.completed': end('run.completed', 'info', 'completed'),
  'run.failed': end('run.failed', 'error', 'failed'),
  'run.cancelled': end('run.cancelled', 'info', 'was cancelled'),
  'run.timeout': end('run.timeout', 'error', 'took too long'),
}
