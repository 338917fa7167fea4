import type { journal, Verdict, VerificationLine } from '#contract/journal'
import type { App } from '#kernel/app'
import { credentialOf } from '#kernel/auth/authenticator'
import { membership } from '#kernel/auth/membership'
import type { Actor, Call, Web } from '#kernel/feature'
import { openLines } from '../../../streams/line-stream.ts'
import { judge } from '../anchor.ts'
import type { Question } from '../proof.ts'
import type { JournalReads } from '../reads.ts'
import type { Walked } from '../walk.ts'
import { forget, isKept, type Kept, keep, kept } from './kept.ts'
import { nextPart } from './whole.ts'

/** Parts after which it is stored how far the verification is. */
const partsKept = 20

type Asked = Call<typeof journal.verification> & { web: Web }

/** Verifies and tells how far it is, a line a part. What is interrupted can be gone on with, also after a restart. */
export async function verifyAloud(app: App, reads: JournalReads, { actor, query, web }: Asked): Promise<void> {
  const { workspace } = actor
  const { known, judged } = judge(app, workspace, query.anchor)
  const question = await reads.question(workspace, known)
  // The one that was interrupted a moment ago may still be about to be stored.
  if (query.resume) await app.write(() => undefined).catch(() => undefined)
  const earlier = query.resume ? usable(kept(app, workspace, question.ws), question) : null
  let walked = earlier?.walked ?? null
  const lines = openLines(app, { reply: web.reply, allowed: () => mayVerify(app, actor) }, interrupt, leave)
  const store = (change: () => void) =>
    void app.write(change).catch((error) => app.log.warn({ err: error }, 'How far a verification came is not stored'))
  const keepSoon = (come: Walked, at = app.now()) => store(() => keep(app, workspace, { walked: come, at }))
  const say = (line: VerificationLine) => lines.write(JSON.stringify(line))

  /** Stored at once: a daemon that stops does not wait for the part that is going on. */
  function leave(): void {
    if (walked) keepSoon(walked)
  }

  function interrupt(): void {
    lines.end([{ type: 'interrupted', entries: walked?.entries ?? 0, of: question.entries }])
  }

  function end(verdict: Verdict): void {
    walked = null
    if (isKept(app, workspace)) store(() => forget(app, workspace))
    const resumed = earlier && { entries: earlier.walked.entries, at: earlier.at }
    lines.end([{ type: 'verdict', verdict: judged({ ...verdict, resumed, ...(resumed && since(verdict)) }) }])
  }

  say({ type: 'progress', entries: walked?.entries ?? 0, of: question.entries })
  if (app.stopping.signal.aborted) interrupt()
  for (let parts = 1; !lines.over; parts++) {
    const part = await nextPart(app, question, walked).catch((error) => {
      if (!lines.over) app.log.error({ err: error }, 'A verification of the journal was interrupted')
      interrupt()
      return null
    })
    if (lines.over || !part) return
    if ('verdict' in part) return end(part.verdict)
    walked = part.walked
    say({ type: 'progress', entries: walked.entries, of: question.entries })
    if (parts % partsKept === 0) keepSoon(part.walked)
  }
}

/** What was passed before may have been changed since. */
const since = ({ not_proven }: Verdict): Pick<Verdict, 'not_proven'> => ({ not_proven: [...not_proven, 'earlier'] })

/** An anchor of what was passed before has to be passed again. */
const usable = (found: Kept | null, { anchor }: Question): Kept | null =>
  found && anchor && anchor.entries <= found.walked.entries ? null : found

function mayVerify(app: App, actor: Actor): boolean {
  const credential = credentialOf(actor)
  const role = membership(app.db, actor.workspace, actor.id)?.role
  return (credential === null || app.auth.holds(credential)) && (role === 'OWNER' || role === 'ADMIN')
}
