import { randomBytes } from 'node:crypto'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { triggers } from '#contract/triggers'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { editable } from '../agents/service.ts'
import { setSecret } from '../agents/webhooks/service.ts'

/** Gives an agent a new webhook secret. The old one is gone with this change. */
export function rotateSecret(
  app: App,
  { actor, agentId, now }: Call<typeof triggers.rotateWebhookSecret>,
): Reply<typeof triggers.rotateWebhookSecret> {
  const { slug, crew_id, workspace_id } = editable(app, actor, agentId)
  const webhook_secret = randomBytes(32).toString('hex')
  setSecret(app, agentId, webhook_secret)
  const payload = { entity_id: agentId, name: slug, metadata: { changed: ['webhook_secret'] } }
  const about = { workspace_id, ...(crew_id && { crew_id }), agent_id: agentId, ...actorOf(actor) }
  app.journal(fact('agent.webhook_rotated', payload, about))
  return { webhook_secret, rotated_at: now }
}
