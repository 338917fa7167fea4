import { Flags } from '@oclif/core'
import { modelTiers } from '#client/words'
import { durationMs, given } from '../flags.ts'
import { inputFlags, inputsIn } from './inputs.ts'

const duration = (description: string) => Flags.string({ helpValue: 'DURATION', description, helpGroup: 'MORE' })

/** Flags of a run. */
export const runFlags = {
  ...inputFlags,
  watch: Flags.boolean({ description: 'show its steps until it is over' }),
  wait: Flags.string({
    helpValue: 'DURATION',
    description: 'how long to wait for its end, at most 1m; 10s unless given',
  }),
  delay: Flags.string({ helpValue: 'DURATION', description: 'begin so much later' }),
  ttl: duration('a delayed run that could not begin by then never begins'),
  priority: Flags.integer({
    min: -100,
    max: 100,
    helpGroup: 'MORE',
    description: 'of delayed runs the highest begin first',
  }),
  tier: Flags.string({
    options: [...modelTiers],
    helpGroup: 'MORE',
    description: 'the grade of model with which its agents work, whatever the steps say',
  }),
  tag: Flags.string({ multiple: true, helpGroup: 'MORE', description: 'a tag; may be repeated' }),
  'idempotency-key': Flags.string({
    helpValue: 'KEY',
    helpGroup: 'MORE',
    description: 'begin once for all requests with this key',
  }),
  'debounce-key': Flags.string({
    helpValue: 'KEY',
    helpGroup: 'MORE',
    description: 'become one run with other requests of this key',
  }),
  'debounce-window': duration('how long to wait for another one; 10s unless given'),
  'debounce-max': duration('how long all of them may put it off'),
}

interface Given {
  input?: string[] | undefined
  wait?: string | undefined
  delay?: string | undefined
  ttl?: string | undefined
  priority?: number | undefined
  tier?: string | undefined
  tag?: string[] | undefined
  'idempotency-key'?: string | undefined
  'debounce-key'?: string | undefined
  'debounce-window'?: string | undefined
  'debounce-max'?: string | undefined
}

const seconds = (text: string | undefined, name: string): number | undefined => {
  const ms = durationMs(text, `--${name}`)
  return ms === undefined ? undefined : Math.ceil(ms / 1000)
}

/** What is asked for. */
export const requestOf = (flags: Given) =>
  given({
    inputs: inputsIn(flags),
    wait_seconds: seconds(flags.wait, 'wait'),
    delay_seconds: seconds(flags.delay, 'delay'),
    ttl_seconds: seconds(flags.ttl, 'ttl'),
    priority: flags.priority,
    tier_override: flags.tier as (typeof modelTiers)[number] | undefined,
    tags: flags.tag,
    idempotency_key: flags['idempotency-key'],
    debounce_key: flags['debounce-key'],
    debounce_window_seconds: seconds(flags['debounce-window'], 'debounce-window'),
    debounce_max_seconds: seconds(flags['debounce-max'], 'debounce-max'),
  })

interface Begun {
  run_id?: string
  status: string
  error_message?: string
  failed_at_step?: string
  output?: unknown
}

/** What became of a run, on one line. */
export function begunWords({ run_id, status, error_message, failed_at_step, output }: Begun): string {
  const why = error_message ? `: ${failed_at_step ? `${failed_at_step}: ` : ''}${error_message}` : ''
  const gave = status === 'COMPLETED' && output !== undefined && output !== null ? `: ${short(output)}` : ''
  return `The run ${run_id} is ${status.toLowerCase()}${why}${gave}.`
}

const short = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
