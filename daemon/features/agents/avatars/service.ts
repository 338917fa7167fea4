import { hash } from 'node:crypto'
import type { agentAvatars } from '#contract/agent-avatars'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call, Web } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { broadcastChange } from '../broadcasts.ts'
import { avatarUrl } from '../rows.ts'
import { type AgentRow, editable, findAgent } from '../service.ts'
import { queries } from './queries.ts'
import { checkSvg } from './svg.ts'

/** Keeps a picture; one that is there already stays until it is removed, or until seed or style change. */
export function setAvatar(
  app: App,
  { actor, agentId, body }: Call<typeof agentAvatars.setAvatar>,
): Reply<typeof agentAvatars.setAvatar> {
  const agent = editable(app, actor, agentId)
  checkSvg(body.svg)
  const version = hash('sha256', body.svg).slice(0, 16)
  if (!queries(app.db).keep.get({ agent: agentId, svg: body.svg, version })) throw problem('avatar_kept')
  changed(app, actor, agent)
  return { avatar_url: avatarUrl(agent, version) }
}

export function removeAvatar(app: App, { actor, agentId }: Call<typeof agentAvatars.removeAvatar>): undefined {
  const agent = editable(app, actor, agentId)
  if (!queries(app.db).remove.get(agentId)) throw noPicture()
  changed(app, actor, agent)
}

function changed(app: App, actor: Actor, { id, slug, crew_id }: AgentRow): void {
  const payload = { entity_id: id, name: slug, metadata: { changed: ['avatar'] } }
  const about = { workspace_id: actor.workspace, ...(crew_id && { crew_id }), agent_id: id, ...actorOf(actor) }
  app.journal(fact('agent.updated', payload, about))
  broadcastChange(app, actor.workspace, id)
}

/** Its address changes with the picture, so browsers may keep it for good; by itself it can do and load nothing. */
export function sendAvatar(app: App, { actor, agentId, web }: Call<typeof agentAvatars.avatar> & { web: Web }): string {
  const picture = queries(app.db).find.get(findAgent(app, actor.workspace, agentId).id)
  if (!picture) throw noPicture()
  web.reply.headers({
    'content-type': 'image/svg+xml',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'private, max-age=31536000, immutable',
  })
  return picture.svg
}

const noPicture = () => problem('not_found', { detail: 'The agent has no picture of its own' })
