import type { App } from '#kernel/app'
import { OutboundError } from '#kernel/outbound/outbound'
import { addressOf, providerOfModel, providers } from '../../providers/index.ts'
import { localAddress, localCompletion } from '../../providers/local.ts'
import type { Completion, Provider } from '../../providers/provider.ts'
import { endpointUrl, modelKey } from '../credentials/delivery/service.ts'
import { localModels } from '../models/service.ts'

/** Milliseconds for one answer. */
const patience = 120_000
/** Bytes of an answer: many times what the rules of one proposal take. */
const mostBytes = 1024 * 1024
const maxTokens = 8000

/** A model that reads the journal for a workspace. */
export interface Summarizer {
  /** Its name; null where the server is asked for one first. */
  model: string | null
  completion: Completion
  base: string
  token: string
  /** The address is the operator's. */
  operator: boolean
}

/** It gave no answer that could be used. The message holds nothing of what it said. */
export class NoAnswer extends Error {}

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
  const { completion, name } = provider
  const base = addressOf(app.config, provider)
  const key = completion && base ? modelKey(app, workspace, name) : null
  if (!completion || !base || !key) return null
  return { model: model || completion.model, completion, base, token: key.token, operator: true }
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

/** What the model answers. */
export async function ask(
  app: App,
  { completion, base, token, operator }: Summarizer,
  asked: { model: string; system: string; prompt: string },
  signal: AbortSignal,
): Promise<string> {
  const { path, headers, body } = completion.request({ ...asked, maxTokens }, token)
  try {
    const { status, text } = await app.outbound.send(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      operator,
      timeoutMs: patience,
      maxBytes: mostBytes,
      signal,
    })
    if (status !== 200) throw new NoAnswer(`The model's server answered ${status}`)
    const said = completion.text(JSON.parse(text))
    if (said === null) throw new NoAnswer('The answer of the model holds no text')
    return said
  } catch (error) {
    if (error instanceof OutboundError) throw new NoAnswer(error.message)
    if (error instanceof SyntaxError) throw new NoAnswer("The model's server did not answer with JSON")
    throw error
  }
}
