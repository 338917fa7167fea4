import type { App } from '#kernel/app'
import { OutboundError } from '#kernel/outbound/outbound'
import { addressOf } from '../../../providers/index.ts'
import type { Completion, Provider } from '../../../providers/provider.ts'
import { modelKey } from '../../credentials/delivery/service.ts'

/** Milliseconds for one answer. */
const patience = 120_000
/** Bytes of an answer: many times what any question of ours takes. */
const mostBytes = 1024 * 1024
const maxTokens = 8000

/** A model's server, and how it is asked. */
export interface Asked {
  completion: Completion
  base: string
  token: string
  /** The address is the operator's. */
  operator: boolean
}

/** A vendor, as it is asked with a key of the workspace; null where it cannot be asked or the workspace has none. */
export function vendorAsked(app: App, workspace: string, provider: Provider): Asked | null {
  const { completion, name } = provider
  const base = addressOf(app.config, provider)
  const key = completion && base ? modelKey(app, workspace, name) : null
  return completion && base && key ? { completion, base, token: key.token, operator: true } : null
}

/** It gave no answer that could be used. The message holds nothing of what it said. */
export class NoAnswer extends Error {}

/** What the model answers. */
export async function ask(
  app: App,
  { completion, base, token, operator }: Asked,
  asked: { model: string; system: string; prompt: string },
  signal?: AbortSignal,
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
      ...(signal && { signal }),
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
