import { stat } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { type BackupAsk, type BackupLine, type BackupReply, type BackupVerb, backupHost } from '#contract/backup-host'
import { readManifest, verifyWhole } from '#kernel/bundle/envelope'
import { BundleRefused } from '#kernel/bundle/refusal'
import { type Config, ConfigError } from '#kernel/config'
import { validator } from '#kernel/http/validate'
import { UnfitDatabase } from '#kernel/store/db'
import { codeOf, storageFault } from '#kernel/store/storage-fault'
import { Refusal } from '../admin/place.ts'
import { RuntimeError } from '../runtime/errors.ts'
import { StartRefused } from '../start/loss.ts'
import { readContents } from './contents.ts'
import { drill, newestOf } from './drill.ts'
import { type Say, sayTo } from './progress.ts'
import { restore } from './restore.ts'

type Verbs = { [V in BackupVerb]: (config: Config, ask: BackupAsk<V>, say: Say) => Promise<BackupReply<V>> }

const verbs: Verbs = {
  newest: async (config) => ({ path: await newestOf(config) }),
  inspect: (_config, { path }) => readManifest(path),
  verify: async (_config, { path, passphrase, identity }, say) => {
    const manifest = await verifyWhole(path, say.counting('Checking'))
    const opens = !manifest.encryption.enabled || passphrase !== undefined || identity !== undefined
    say.doing('Reading what is inside')
    const read = opens ? await readContents(path, { passphrase, identity }, async () => undefined) : null
    return { manifest, size_bytes: (await stat(path)).size, members: read?.members ?? null }
  },
  restore,
  drill,
}

/** Answers one question of `muster backup`: JSON on standard input, lines of JSON on standard output. */
export async function serveBackup(verb: string | undefined, config: Config): Promise<boolean> {
  if (verb === undefined || !Object.hasOwn(verbs, verb))
    throw new ConfigError(`musterd backup takes one of ${Object.keys(verbs).join(', ')}; muster backup asks it`)
  const write = (line: BackupLine) => void process.stdout.write(`${JSON.stringify(line)}\n`)
  const line = await answer(verb as BackupVerb, config, sayTo(write))
  await new Promise<void>((resolve) => process.stdout.write(`${JSON.stringify(line)}\n`, () => resolve()))
  return 'reply' in line
}

async function answer<V extends BackupVerb>(verb: V, config: Config, say: Say): Promise<BackupLine> {
  try {
    const asked = validator(backupHost[verb].asks, 'body')(JSON.parse(await text(process.stdin)))
    if ('problem' in asked) throw asked.problem
    return { reply: await verbs[verb](config, asked.value as never, say) } as BackupLine
  } catch (error) {
    const refusal = refusalOf(error as Error)
    if (!refusal) throw error
    return { refusal }
  }
}

function refusalOf(error: Error): { code: string; message: string; next?: string } | null {
  if (error instanceof Refusal)
    return { code: error.code, message: error.message, ...(error.next && { next: error.next }) }
  if (error instanceof BundleRefused || error instanceof StartRefused)
    return { code: error.code, message: `${error.message}.` }
  if (error instanceof UnfitDatabase) return { code: 'bundle_newer', message: `${error.message}.` }
  const fault = storageFault(error)
  const state = fault === 'full' ? 'is full' : 'cannot be written'
  if (fault)
    return {
      code: `storage_${fault}`,
      message: `The disk ${state} (${error.message}). Nothing was changed.`,
      next: 'free space there, then repeat the command',
    }
  if (['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR', 'EISDIR'].includes(codeOf(error)) || error instanceof RuntimeError)
    return { code: 'unusable', message: `${error.message}. Nothing was changed.` }
  return null
}
