import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { InputError } from '../input.ts'
import { daemonProgram } from '../paths.ts'
import { HostRefusal } from './refusal.ts'

/** A question that the daemon's program works on. */
export interface Asked {
  output: Readable
  /** Resolves when it has ended, with what there is to say if it gave no answer. */
  ended: Promise<HostRefusal>
}

/**
 * Asks the daemon's program something on this machine. The question travels over standard input alone: what it holds is
 * in no argument and no variable, where others could read it.
 */
export function askProgram(words: readonly string[], question: object, config: string | undefined): Asked {
  const program = daemonProgram()
  if (!existsSync(program))
    throw new InputError(`The daemon has not been built: ${program} is missing.`, 'npm ci && npm run build')
  const child = spawn(process.execPath, [program, ...words, ...(config ? ['--config', config] : [])], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: process.env,
  })
  const end = new Promise<string>((resolve, reject) =>
    child.on('error', reject).on('close', (code, signal) => resolve(String(signal ?? code))),
  )
  // It may end before it has read its question, and says why.
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(question))
  const ended = Promise.all([text(child.stderr), end]).then(([errors, how]) => {
    const message = lastWords(errors) ?? `musterd ended with ${how} and said nothing`
    return new HostRefusal({ code: 'failed', message, next: 'muster doctor' })
  })
  // Whoever asked hears of it when it has read all answers.
  ended.catch(() => {})
  return { output: child.stdout, ended }
}

const lastWords = (errors: string): string | undefined => {
  const lines = errors.trimEnd().split('\n').filter(Boolean)
  return lines.findLast((line) => line.startsWith('musterd: '))?.slice('musterd: '.length) ?? lines.at(-1)
}
