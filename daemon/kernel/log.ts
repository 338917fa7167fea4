import { pino } from 'pino'

export type Log = pino.Logger

/** Members that may hold a secret are redacted at any depth. */
const secret = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'token',
  'cli_token',
  'password',
  'value',
  'secret',
  'api_key',
]
const redact = secret.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])

/** Structured log lines, by default on standard error: standard output is reserved for the ready line. */
export function createLog(
  { level, format }: { level: string; format: 'json' | 'text' },
  to?: pino.DestinationStream,
): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    redact: { paths: redact, censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  if (format === 'json')
    return pino(options, to ?? surviving(pino.destination({ dest: 2, sync: true, maxLength: heldLimit })))
  const out = to ?? surviving(process.stderr)
  return pino(options, { write: (line: string) => out.write(`${asText(JSON.parse(line))}\n`) })
}

/**
 * Sends what Node warns of to the log. Node itself would print it on standard error, where a full disk makes an error
 * of it that ends the process.
 */
export function logWarnings(log: Log): void {
  surviving(process.stderr)
  process.removeAllListeners('warning')
  process.on('warning', (warning) => log.warn({ err: warning }, 'Node.js warns'))
}

/** Most characters buffered while standard error cannot be written, as on a full disk. More are dropped. */
const heldLimit = 1024 * 1024

/** Ignores write errors: a log that cannot be written must not end the process. */
function surviving<T extends NodeJS.EventEmitter>(stream: T): T {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore)
  return stream
}

const ignore = () => undefined

const levels: Record<number, string> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' }

function asText({ time, level, msg, ...rest }: { time: string; level: number; msg?: string }): string {
  const details = Object.entries(rest).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
  return inert([time, (levels[level] ?? String(level)).padEnd(5), msg ?? '', ...details].join(' '))
}

/** On one line, without a character that acts on the terminal at which it is read: others may have chosen it. */
const inert = (text: string): string =>
  text
    .replaceAll('\n', '\\n')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`)
