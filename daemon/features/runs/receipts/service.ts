import type { Reply } from '#contract/define'
import type { runReceipts } from '#contract/run-receipts'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { mayRead } from '../chains/service.ts'
import { sourceOf } from '../messages/service.ts'
import { findRun, type Run } from '../service.ts'
import { type Program, queries } from './queries.ts'
import { hashesOf, type LeftFiles, type SaidHashes, unknownFiles } from './rules.ts'
import { statementOf } from './statement.ts'

export type { ChangedFile, Gap, LeftFiles } from './rules.ts'
export { unknownFiles } from './rules.ts'
export { decisionsOf, lastEntryOf, personOf } from './statement.ts'

/** Signs what is known of a run that is over. Waits for what is being found out about its files. */
export async function receipt(
  app: App,
  { actor, runId, now }: Call<typeof runReceipts.receipt>,
): Promise<Reply<typeof runReceipts.receipt>> {
  ended(app, actor, runId)
  await app.runs.settled(runId)
  const run = ended(app, actor, runId)
  return app.signer.sign(statementOf(app, run, remainsOf(app, run), now))
}

/** A run that is over, as whoever may read what is said in it sees it. */
function ended(app: App, actor: { id: string; workspace: string }, runId: string): Run {
  const run = findRun(app, runId)
  if (run?.workspace_id !== actor.workspace || !mayRead(app, run, actor.id))
    throw problem('not_found', { detail: 'There is no such run' })
  if (run.phase !== 'ended') throw problem('run_open')
  return run
}

export function receiptKeys({ db, signer, now }: App): Reply<typeof runReceipts.receiptKeys> {
  const known = queries(db).keys.all()
  const own = { keyid: signer.keyid, public_key: signer.publicKey, added_at: now() }
  const all = known.some(({ keyid }) => keyid === signer.keyid) ? known : [...known, own]
  return all.map((key) => ({ ...key, current: key.keyid === signer.keyid }))
}

/** Keeps the public key of this start, so that receipts can be verified when another one has taken its place. */
export function noteReceiptKey({ db, signer, now, log }: App): void {
  const { keys, addKey } = queries(db)
  const known = keys.all()
  if (known.some(({ keyid }) => keyid === signer.keyid)) return
  addKey.run({ keyid: signer.keyid, public_key: signer.publicKey, added_at: now() })
  if (known.length) log.warn({ keyid: signer.keyid }, 'Receipts are signed with a new key from now on')
}

export type Started = Omit<Program, 'run_id' | 'attempt' | 'started_at' | 'image' | 'image_id'>

/** Records what the newest program of a run is started with. */
export const noteProgram = (app: App, { id, attempt }: Run, started: Started): void =>
  void queries(app.db).addProgram.run({ ...started, run_id: id, attempt, started_at: app.clock() })

/** Records in which image the newest program of a run works. */
export const noteImage = ({ db }: App, { id, attempt }: Run, image: { name: string; id: string }): void =>
  void queries(db).setImage.run({ run: id, attempt, ...image })

/** When the first program of a run was started, in milliseconds since 1970; null when none was. */
export const firstStart = ({ db }: App, runId: string): number | null =>
  queries(db).programs.all(runId)[0]?.started_at ?? null

/** Records what a run left, once: what is found later does not change it. */
export const noteRemains = (app: App, run: Run, files: LeftFiles): void =>
  void queries(app.db).addRemains.run({
    run: run.id,
    said: JSON.stringify(saidIn(app, run)),
    files: JSON.stringify(files),
  })

const saidIn = (app: App, run: Run): SaidHashes => hashesOf(sourceOf(app, run).kept(app, run))

/** What was recorded; else, of what nobody could record, what is stored still tells. */
function remainsOf(app: App, run: Run): { said: SaidHashes; files: LeftFiles } {
  const row = queries(app.db).remains.get(run.id)
  if (row) return { said: JSON.parse(row.said_json) as SaidHashes, files: JSON.parse(row.files_json) as LeftFiles }
  const started = run.launch_json !== null
  return { said: saidIn(app, run), files: unknownFiles(started ? 'not_recorded' : 'no_program') }
}
