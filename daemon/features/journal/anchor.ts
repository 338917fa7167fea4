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

export async function verify(
  app: App,
  reads: JournalReads,
  { actor, query }: Call<typeof journal.verify>,
): Promise<Verdict> {
  if (query.anchor === undefined) return reads.verify(actor.workspace, null)
  const [, body, installation, workspace, entries, hash, at, mac] = form.exec(query.anchor.trim()) ?? []
  if (!body)
    throw problem('invalid_field', {
      field: 'anchor',
      detail: 'This is not an anchor: an anchor is one word that begins with muster-anchor.1.',
    })
  if (workspace !== actor.workspace)
    throw problem('invalid_field', { field: 'anchor', detail: `This anchor is of another workspace (${workspace})` })
  const known: Known = { entries: Number(entries), hash: hash!, at: at! }
  const ours = sameText(macOf(app, body), mac!)
  const verdict = await reads.verify(actor.workspace, ours ? known : null)
  return ours || verdict.broken ? verdict : foreign(verdict, installation === installationId(app.db))
}

/** The verdict on an anchor that this installation did not make, or whose text was altered. */
function foreign(verdict: Verdict, sameInstallation: boolean): Verdict {
  const reason = sameInstallation
    ? 'the anchor was altered, or the encryption key is not the one that it was made with'
    : 'the anchor was made by another installation'
  return { ...verdict, valid: false, proven: [], broken: { kind: 'replaced', seq: null, id: null, reason } }
}
