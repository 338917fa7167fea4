import type { WriteStream } from 'node:tty'

type Stream = Pick<WriteStream, 'isTTY'> | { isTTY?: boolean }

/** True when output goes to a terminal, or is to be written as if it did. */
export const atTerminal = (stream: Stream, env: NodeJS.ProcessEnv = process.env): boolean =>
  stream.isTTY === true || Boolean(env['SVC_FORCE_TTY'])

/** True when colours belong on this stream: what the variables say wins over whether it is a terminal. */
export function colored(stream: Stream, env: NodeJS.ProcessEnv = process.env): boolean {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0'
  if (env['CLICOLOR_FORCE'] && env['CLICOLOR_FORCE'] !== '0') return true
  return env['CLICOLOR'] !== '0' && atTerminal(stream, env) && env['TERM'] !== 'dumb'
}

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  strike: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const

export type Tone = keyof typeof codes
export type Paint = (tone: Tone | undefined, text: string) => string

/** Colours text, or leaves it alone when `on` is false. */
export const painter =
  (on: boolean): Paint =>
  (tone, text) =>
    on && tone && text ? `\u001b[${codes[tone][0]}m${text}\u001b[${codes[tone][1]}m` : text
