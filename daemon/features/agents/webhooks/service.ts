import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import { queries } from './queries.ts'

/** The row that a sealed secret is bound to. */
const rowOf = (agentId: string) => `agent_webhooks:${agentId}`

/** Gives an agent another secret, in place of the one before. */
export function setSecret(app: App, agentId: string, secret: string): void {
  if (!app.vault)
    throw problem('encryption_unavailable', { detail: 'This server has no encryption key to keep a secret with' })
  queries(app.db).setSecret.run(agentId, app.vault.seal(secret, rowOf(agentId)))
}

/** How an agent may be called; null when nobody may. */
export function webhookOf(app: App, agentId: string): { secret: string; requireTimestamp: boolean } | null {
  const row = queries(app.db).find.get(agentId)
  if (!row?.secret_enc || !app.vault) return null
  try {
    return { secret: app.vault.open(row.secret_enc, rowOf(agentId)), requireTimestamp: row.require_timestamp === 1 }
  } catch {
    app.log.error({ agent_id: agentId }, 'A webhook secret cannot be opened with this encryption key')
    return null
  }
}

export function setRequireTimestamp({ db }: App, agentId: string, required: boolean | undefined): void {
  if (required !== undefined) queries(db).setRequire.run(agentId, required ? 1 : 0)
}

export const forgetWebhook = ({ db }: App, agentId: string): void => void queries(db).remove.run(agentId)
