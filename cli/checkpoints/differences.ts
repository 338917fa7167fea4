import type { Client } from '#client'
import { wordOf } from '../views/checkpoints.ts'
import { patience } from './patience.ts'

/** Texts that are shown. */
const most = 100

interface Changed {
  kind: string
  path: string
  what: readonly string[]
  change: string
  odd_name: boolean
}

/** How the texts among these files differ from a checkpoint. */
export async function differences(api: Client, checkpointId: string, files: readonly Changed[]): Promise<string> {
  const texts = files.filter(
    ({ kind, what, change, odd_name }) =>
      kind === 'file' && !odd_name && (change !== 'changed' || what.includes('content')),
  )
  const shown: string[] = []
  for (const { path } of texts.slice(0, most))
    shown.push(wordOf(await api.checkpoints.diff({ checkpointId, query: { path } }, patience.changes)))
  if (texts.length > most) shown.push(`and ${texts.length - most} more files`)
  return `\n${shown.join('\n')}\n`
}
