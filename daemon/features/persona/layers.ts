import { type Acting, fact } from '#contract/entries'
import type { App } from '#kernel/app'

import type { AgentRow } from '../agents/service.ts'
import { type File, type Place, readFile, removeFile, writeFile } from '../memory/service.ts'

export const fileName = 'PERSONA.md'

/** Whose persona: that of an agent, or that of a crew. */
export type Owner = AgentRow | { id: string; workspace_id: string; name: string }

const isAgent = (owner: Owner): owner is AgentRow => 'cli_adapter' in owner
const layerOf = (owner: Owner) => (isAgent(owner) ? ('agent' as const) : ('crew' as const))

function placeOf(owner: Owner): Place {
  const { id: owner_id, workspace_id } = owner
  const home = !isAgent(owner)
    ? `crews/${owner.id}/shared`
    : `${owner.crew_id ? `crews/${owner.crew_id}` : `solo/${workspace_id}`}/agents/${owner.slug}`
  return { workspace_id, tier: layerOf(owner), owner_id, name: fileName, path: `${home}/.memory/${fileName}` }
}

const about = (owner: Owner, actor: Acting) => {
  const [agent_id, crew_id] = isAgent(owner) ? [owner.id, owner.crew_id] : [null, owner.id]
  return {
    workspace_id: owner.workspace_id,
    ...(agent_id && { agent_id }),
    ...(crew_id && { crew_id }),
    ...actor,
  }
}

export const read = (app: App, owner: { id: string }): File | undefined => readFile(app, owner.id, fileName)

interface Writing {
  content: string
  actor: Acting
  /** Who wrote the text, if not who acts. */
  by?: string
  suggestion?: string
  /** An agent does so of itself, as its crew's policy allows. */
  unasked?: true
  now: string
}

/** Makes this the persona; the one that stands there already leaves no trace. */
export function write(app: App, owner: Owner, { content, actor, by, suggestion, unasked, now }: Writing): File {
  const before = read(app, owner)
  const file = writeFile(app, placeOf(owner), content, by ?? actor.actor_id ?? 'system', now)
  if (file.sha256 === before?.sha256) return file
  const metadata = {
    layer: layerOf(owner),
    sha256: file.sha256,
    bytes: Buffer.byteLength(content),
    ...(suggestion && { suggestion }),
  }
  const policy = unasked && ({ policy_action: 'persona_suggest', policy_verdict: 'journal' } as const)
  const payload = { entity_id: owner.id, name: owner.name, metadata, ...policy }
  app.journal(fact('persona.updated', payload, about(owner, actor)))
  return file
}

export function remove(app: App, owner: Owner, actor: Acting): void {
  if (!removeFile(app, owner.id, fileName)) return
  const payload = { entity_id: owner.id, name: owner.name, metadata: { layer: layerOf(owner) } }
  app.journal(fact('persona.deleted', payload, about(owner, actor)))
}
