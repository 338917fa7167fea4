import { constants } from 'node:os'
import type { RunEnd } from '../types.ts'

/** Signals for which a shell reports 128 plus the signal's number; other values are exit codes. */
const deadly = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGKILL',
  'SIGUSR1',
  'SIGSEGV',
  'SIGUSR2',
] as const
const more = ['SIGPIPE', 'SIGALRM', 'SIGTERM', 'SIGXCPU', 'SIGXFSZ', 'SIGSYS'] as const
const bySignal = new Map([...deadly, ...more].map((name) => [128 + constants.signals[name], name]))

/** Reads the line that supervise.sh or end-run.sh wrote to `exit`; `record` is null without one. */
export function runEnd(record: string | null): RunEnd {
  const [word, ...rest] = (record ?? '').trim().split(' ')
  const code = Number(rest[0])
  if (word === 'timed-out') return { kind: 'exit', code, timedOut: true }
  if (word === 'lost' && rest.length) return { kind: 'lost', reason: rest.join(' ') }
  if (word === 'never') return { kind: 'lost', reason: rest.join(' '), never: true }
  if (word !== 'exited' || !Number.isInteger(code))
    return { kind: 'lost', reason: 'the process is gone and left no record' }
  const signal = bySignal.get(code)
  return signal ? { kind: 'signal', signal } : { kind: 'exit', code, timedOut: false }
}

/** Standard error without the messages of timeout(1). */
export const ownWords = (stderr: string): string => stderr.replace(/^timeout: sending signal .*\n/gm, '')
