import type { LlmProvider } from '#contract/agents'
import { keyOf, type Turn } from '../adapter.ts'
import { addressOf, modelOf } from '../models.ts'

/** A provider as the client knows it. The packages are in the client's program, so none is fetched. */
interface Service {
  id: string
  npm: string
  version: string
}

const services: Partial<Record<LlmProvider, Service>> = {
  ANTHROPIC: { id: 'anthropic', npm: '@ai-sdk/anthropic', version: '/v1' },
  OPENAI: { id: 'openai', npm: '@ai-sdk/openai', version: '/v1' },
  GOOGLE: { id: 'google', npm: '@ai-sdk/google', version: '/v1beta' },
}

function serviceOf(turn: Pick<Turn, 'model' | 'provider'>) {
  const { owner, name } = modelOf('OPENCODE', turn)
  const service = services[owner]
  if (!service) throw new Error(`The client is not set up for models of ${owner}`)
  return { owner, service, name }
}

/** The model as the client is told of it; null leaves it to the client. */
export function modelName(turn: Pick<Turn, 'model' | 'provider'>): string | null {
  const { service, name } = serviceOf(turn)
  return name && `${service.id}/${name}`
}

/** The one provider that the client may use, with the key that the sidecar takes for the real one. */
export function providerOf(turn: Turn): { enabled_providers: string[]; provider: object } {
  const { owner, service, name } = serviceOf(turn)
  const { id, npm, version } = service
  const options = { baseURL: `${addressOf(turn.access, owner)}${version}`, apiKey: keyOf(turn.access) }
  return { enabled_providers: [id], provider: { [id]: { npm, options, ...(name && { models: { [name]: {} } }) } } }
}
