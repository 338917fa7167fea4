import type { Static } from 'typebox'
import type { EscalationOutcome } from '#contract/escalations'
import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import { unlessStorage } from '#kernel/store/storage-fault'
import { recordSoon } from '#kernel/store/until-written'
import { isAwaited, wokenBy } from '#kernel/waiting'
import { queries, type Row } from './queries.ts'
import { isWaiting } from './rules.ts'
import { factOf } from './telling.ts'

type Outcome = Static<typeof EscalationOutcome>

/**
 * What became of a question: as soon as it is settled, or when the agent's time is over. Null when `signal` ended the
 * waiting before; unless the daemon stops, it is on record then that the agent waits no more.
 */
export async function waitForAnswer(app: App, id: string, signal: AbortSignal): Promise<Outcome | null> {
  const { byId } = queries(app.db)
  const asked = byId.get(id)!
  if (isWaiting(asked, app.now())) await wokenBy(app, id, Date.parse(asked.deadline_at), signal)
  if (signal.aborted && app.stopping.signal.aborted) return null
  const row = byId.get(id)
  // Another connection may still wait for the same, or again by the time that this is stored.
  if (row?.status === 'PENDING') await noteGone(app, () => isAwaited(app, id) || giveUp(app, id))
  return signal.aborted ? null : outcomeOf(app, byId.get(id))
}

/** Writes later when the disk refuses, so that the agent does not wait for it. */
const noteGone = (app: App, change: () => unknown): Promise<unknown> =>
  app.write(change).catch((error) => {
    unlessStorage(error)
    recordSoon(app, 'that an agent goes on without an answer', change)
  })

/** The agent goes on without an answer; the question stays open. */
function giveUp(app: App, id: string): void {
  const { giveUp: mark, byId } = queries(app.db)
  if (!mark.get({ id, now: app.now() })) return
  const row = byId.get(id)!
  const warning = 'The agent goes on without an answer; people may still give one'
  app.journal(factOf(app, row, null, { agent_still_waiting: false, warning }))
}

const warnings = {
  UNANSWERED: 'Nobody answered in time. People may still answer; go on carefully, and say at the end what you assumed.',
  EXPIRED: 'Nobody answered, and nobody can any more.',
  CANCELLED: 'The question was withdrawn.',
}

/** A question that was deleted with its crew's others counts as withdrawn. */
function outcomeOf(app: App, row: Row | undefined): Outcome {
  if (row?.status === 'RESOLVED')
    return {
      status: 'RESOLVED',
      resolution: resolutionOf(app, row),
      action: row.action!,
      ...(row.redirect_to && { redirect_to: row.redirect_to }),
    }
  const status = !row ? 'CANCELLED' : row.status === 'PENDING' ? 'UNANSWERED' : row.status
  return {
    status,
    resolution: '',
    action: '',
    warning: warnings[status],
    agent_action: 'continued_with_warning',
    still_open: status === 'UNANSWERED',
  }
}

const rowOf = (id: string) => `escalations:${id}`

/** The answer to an offered secret is kept sealed. */
export function sealResolution({ vault }: App, { id, type }: Row, text: string): string {
  if (type !== 'CREDENTIAL') return text
  if (!vault)
    throw problem('encryption_unavailable', {
      detail: 'This server has no encryption key, so it cannot keep the answer',
    })
  return vault.seal(text, rowOf(id))
}

function resolutionOf({ vault }: App, { id, type, resolution }: Row): string {
  if (resolution === null) return ''
  return type === 'CREDENTIAL' && vault ? vault.open(resolution, rowOf(id)) : resolution
}
