import type { App } from '#kernel/app'
import { providerOfModel, providers } from '../../providers/index.ts'
import { localAddress, localCompletion } from '../../providers/local.ts'
import type { Provider } from '../../providers/provider.ts'
import { endpointUrl } from '../credentials/delivery/service.ts'
import { type Asked, NoAnswer, vendorAsked } from '../models/asking/service.ts'
import { localModels } from '../models/service.ts'

/** A model that reads the journal for a workspace. */
export interface Summarizer extends Asked {
  /** Its name; null where the server is asked for one first. */
  model: string | null
}

/** The model that the operator chose, else one of the first provider that the workspace has a key of. */
export function summarizerOf(app: App, workspace: string): Summarizer | null {
  const model = app.config.consolidationModel
  const named = model ? providerOfModel(model) : undefined
  for (const provider of named ? [named] : model ? [] : providers) {
    const found = vendorOf(app, workspace, provider, model)
    if (found) return found
  }
  return named ? null : localOf(app, workspace, model)
}

function vendorOf(app: App, workspace: string, provider: Provider, model: string): Summarizer | null {
  const asked = vendorAsked(app, workspace, provider)
  return asked && { model: model || asked.completion.model, ...asked }
}

function localOf(app: App, workspace: string, model: string): Summarizer | null {
  const own = endpointUrl(app, workspace)
  const base = (own ?? app.config.vendor[localAddress.path] ?? '').replace(/\/+$/, '')
  if (!base) return null
  return { model: model || null, completion: localCompletion, base, token: '', operator: own === null }
}

/** The model's name, asked of a server of one's own where nobody chose one: the first that it lists. */
export async function modelOf(app: App, workspace: string, { model }: Summarizer): Promise<string> {
  if (model !== null) return model
  try {
    return (await localModels(app, workspace))[0]!.id
  } catch {
    throw new NoAnswer('The local model server does not list its models')
  }
}
