import { createInterface } from 'node:readline'
import type { BackupAsk, BackupLine, BackupReply, BackupVerb } from '#contract/backup-host'
import { sized } from '../backup/sized.ts'
import { askProgram } from './program.ts'
import { HostRefusal } from './refusal.ts'

/** Has the daemon's own code work on bundles of this machine, also while a daemon works. */
export async function askBackup<V extends BackupVerb>(
  verb: V,
  question: BackupAsk<V>,
  config: string | undefined,
  say: (text: string) => void,
): Promise<BackupReply<V>> {
  const { output, ended } = askProgram(['backup', verb], question, config)
  let answer: Exclude<BackupLine<V>, { progress: unknown }> | undefined
  for await (const said of createInterface({ input: output })) {
    const line = JSON.parse(said) as BackupLine<V>
    if ('progress' in line) say(progressText(line.progress))
    else answer = line
  }
  const silence = await ended
  if (!answer) throw silence
  if ('reply' in answer) return answer.reply
  throw new HostRefusal(answer.refusal)
}

function progressText({ doing, done, of }: { doing: string; done: number; of: number }): string {
  if (!done) return doing
  return of ? `${doing}: ${sized(done)} of ${sized(of)}` : `${doing}: ${sized(done)}`
}
