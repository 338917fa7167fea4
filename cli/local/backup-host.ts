import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { BackupAsk, BackupLine, BackupReply, BackupVerb } from '#contract/backup-host'
import { sized } from '../backup/sized.ts'
import { InputError } from '../input.ts'
import { daemonProgram } from '../paths.ts'
import { HostRefusal } from './refusal.ts'

/**
 * Has the daemon's own code work on bundles of this machine, also while a daemon works. The question, with its secrets,
 * travels over standard input alone.
 */
export async function askBackup<V extends BackupVerb>(
  verb: V,
  question: BackupAsk<V>,
  config: string | undefined,
  say: (text: string) => void,
): Promise<BackupReply<V>> {
  const program = daemonProgram()
  if (!existsSync(program))
    throw new InputError(`The daemon has not been built: ${program} is missing.`, 'npm ci && npm run build')
  const child = spawn(process.execPath, [program, 'backup', verb, ...(config ? ['--config', config] : [])], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: process.env,
  })
  const ended = new Promise<string>((resolve, reject) =>
    child.on('error', reject).on('close', (code, signal) => resolve(String(signal ?? code))),
  )
  // It may end before it has read its question, and says why.
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(question))
  const errors = text(child.stderr)
  let answer: Exclude<BackupLine<V>, { progress: unknown }> | undefined
  for await (const said of createInterface({ input: child.stdout })) {
    const line = JSON.parse(said) as BackupLine<V>
    if ('progress' in line) say(progressText(line.progress))
    else answer = line
  }
  const [end, words] = [await ended, await errors]
  if (answer && 'reply' in answer) return answer.reply
  if (answer) throw new HostRefusal(answer.refusal)
  throw new HostRefusal({
    code: 'failed',
    message: lastWords(words) ?? `musterd ended with ${end} and said nothing`,
    next: 'muster doctor',
  })
}

function progressText({ doing, done, of }: { doing: string; done: number; of: number }): string {
  if (!done) return doing
  return of ? `${doing}: ${sized(done)} of ${sized(of)}` : `${doing}: ${sized(done)}`
}

const lastWords = (errors: string): string | undefined => {
  const lines = errors.trimEnd().split('\n').filter(Boolean)
  return lines.findLast((line) => line.startsWith('musterd: '))?.slice('musterd: '.length) ?? lines.at(-1)
}
