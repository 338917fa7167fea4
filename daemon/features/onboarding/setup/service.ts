import { defaultAdapter, providerFor } from '#contract/agents'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { laterSetupMembers, type onboarding } from '#contract/onboarding'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { refuseLater } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { slugOf } from '#kernel/slugs'
import { providerOf } from '../../../providers/index.ts'
import { createAgent } from '../../agents/service.ts'
import { createCredential } from '../../credentials/service.ts'
import { createCrew } from '../../crews/service.ts'
import { completeOnboarding } from '../../users/service.ts'
import { setUpWorkspace } from '../../workspaces/setup/service.ts'
import { naming } from '../rules.ts'
import { isComplete } from '../service.ts'

type Setup = Call<typeof onboarding.setup>

/** A workspace with what is in it from the start, all or nothing; once for each person. */
export function setUp(app: App, call: Setup): Reply<typeof onboarding.setup> {
  const { actor, body, now } = call
  if (isComplete(app, actor.id)) throw problem('onboarding_completed')
  refuseLater(body, laterSetupMembers)
  checkPair(body)
  const { workspace_name: name, preferred_language } = body
  const draft = { actor, name, slug: slugOf(name, 'workspace'), preferred_language, now }
  const workspace = naming({ name: 'workspace_name' }, () => setUpWorkspace(app, draft))
  const there: Setup = { ...call, actor: { ...actor, workspace, role: 'OWNER' } }
  if (body.credential_value?.trim()) storeKey(app, there, body.credential_value)
  const crew = body.crew_name?.trim() ? makeCrew(app, there, body.crew_name) : null
  const agent = crew && makeAgent(app, there, crew)
  completeOnboarding(app, actor.id, now)
  const agent_ids = agent ? [agent] : []
  return { workspace_id: workspace, crew_id: crew, agent_id: agent, agent_ids, agent_count: agent_ids.length }
}

function checkPair({ crew_name, agent_name }: Setup['body']): void {
  if (!crew_name?.trim() === !agent_name?.trim()) return
  const field = crew_name?.trim() ? 'agent_name' : 'crew_name'
  throw problem('missing_field', { field, detail: 'crew_name and agent_name come together' })
}

function storeKey(app: App, { actor, body, now }: Setup, value: string): void {
  const known = providerOf(providerFor(body.cli_adapter ?? defaultAdapter, body.llm_provider) ?? '')
  const provider = known?.name ?? 'NONE'
  const type = known?.isLogin?.(value.trim()) ? 'AI_CLI_TOKEN' : 'API_KEY'
  const name = body.credential_name?.trim() || `${provider} key`
  const fields = { name: 'credential_name', value: 'credential_value', provider: 'llm_provider' }
  const { id } = naming(fields, () => createCredential(app, { actor, body: { name, value, type, provider }, now }))
  app.journal(fact('credential.created', { entity_id: id, name }, aboutOf(actor)))
}

function makeCrew(app: App, { actor, now }: Setup, name: string): string {
  const draft = { name, slug: slugOf(name, 'crew') }
  const { id, slug } = naming({ name: 'crew_name' }, () => createCrew(app, { actor, body: draft, now }, []))
  app.journal(fact('crew.created', { entity_id: id, name: slug }, { ...aboutOf(actor), crew_id: id }))
  return id
}

function makeAgent(app: App, { actor, body, now }: Setup, crew_id: string): string {
  const { agent_name: name = '', cli_adapter, llm_provider, llm_model } = body
  const draft = {
    name,
    slug: slugOf(name, 'agent'),
    crew_id,
    ...(cli_adapter && { cli_adapter }),
    ...(llm_provider && { llm_provider }),
    ...(llm_model && { llm_model }),
  }
  const { id, slug } = naming({ name: 'agent_name' }, () => createAgent(app, { actor, body: draft, now }))
  app.journal(fact('agent.created', { entity_id: id, name: slug }, { ...aboutOf(actor), crew_id, agent_id: id }))
  return id
}

const aboutOf = (actor: Setup['actor']) => ({ workspace_id: actor.workspace, ...actorOf(actor) })
