import { createHmac } from 'node:crypto'
import type { journal, Verdict } from '#contract/journal'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { genesis } from '#kernel/journal/chain'
import { sameText } from '#kernel/journal/seal'
import { problem } from '#kernel/problem'
import { installationId } from '#kernel/store/installation'
import type { Known } from './proof.ts'
import { queries } from './queries.ts'
import type { JournalReads } from './reads.ts'

/** `muster-anchor.1.installation.workspace.entries.id.hash.time.mac`; the id is `-` of an empty journal. */
const parts = [
  'muster-anchor',
  '1',
  '([0-9a-f]+)',
  '(\\w+)',
  '(\\d{1,15})',
  '(?:j_[0-9a-f]{16}|-)',
  '([0-9a-f]{64})',
  '(\\d{8}T\\d{6}Z)',
]
const form = new RegExp(`^(${parts.join('\\.')})\\.([0-9a-f]{64})$`)

function macOf({ vault }: App, text: string): string {
  if (!vault) throw problem('encryption_unavailable')
  return createHmac('sha256', vault.derive('journal-seal')).update(text).digest('hex')
}

/** An anchor for the current end of a workspace's journal. */
export function anchorOf(app: App, workspace: string, at: string) {
  const ws = app.index.names.find(0, workspace) ?? 0
  const newest = queries(app.db).newest.get(ws)
  const installation = installationId(app.db)
  const entries = app.index.combos.chained(ws)
  const hash = (newest?.entry_hash ?? genesis).toString('hex')
  const end = `${newest?.id ?? '-'}.${hash}.${at.replaceAll(/[-:]/g, '')}`
  const body = `muster-anchor.1.${installation}.${workspace}.${entries}.${end}`
  const mac = macOf(app, body)
  return {
    workspace_id: workspace,
    installation,
    entries,
    head: newest ? { id: newest.id, hash } : null,
    at,
    mac,
    anchor: `${body}.${mac}`,
  }
}

/** What there is to know of an anchor before a verification, and what becomes of its verdict. */
export interface Judged {
  known: Known | null
  judged(verdict: Verdict): Verdict
}

/** Reads an anchor; throws when it is none of this workspace. */
export function judge(app: App, workspace: string, given: string | undefined): Judged {
  if (given === undefined) return { known: null, judged: (verdict) => verdict }
  const [, body, installation, of, entries, hash, at, mac] = form.exec(given.trim()) ?? []
  if (!body)
    throw problem('invalid_field', {
      field: 'anchor',
      detail: 'This is not an anchor: an anchor is one word that begins with muster-anchor.1.',
    })
  if (of !== workspace)
    throw problem('invalid_field', { field: 'anchor', detail: `This anchor is of another workspace (${of})` })
  const known: Known = { entries: Number(entries), hash: hash!, at: at! }
  if (sameText(macOf(app, body), mac!)) return { known, judged: (verdict) => verdict }
  const ours = installation === installationId(app.db)
  return { known: null, judged: (verdict) => (verdict.broken ? verdict : foreign(verdict, ours)) }
}

export async function verify(
  app: App,
  reads: JournalReads,
  { actor, query }: Call<typeof journal.verify>,
): Promise<Verdict> {
  const { known, judged } = judge(app, actor.workspace, query.anchor)
  return judged(await reads.verify(actor.workspace, known))
}

/** The verdict on an anchor that this installation did not make, or whose text was altered. */
function foreign(verdict: Verdict, sameInstallation: boolean): Verdict {
  const reason = sameInstallation
    ? 'the anchor was altered, or the encryption key is not the one that it was made with'
    : 'the anchor was made by another installation'
  return { ...verdict, valid: false, proven: [], broken: { kind: 'replaced', seq: null, id: null, reason } }
}
