import type { Reply } from '#contract/define'
import { judgeTimeout, type keeper } from '#contract/keeper'
import type { App } from '#kernel/app'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { providers, addressOf as vendorAddress } from '../../../providers/index.ts'
import { usualJudge } from '../../../providers/wires.ts'
import { apiKeyOf } from '../../credentials/delivery/service.ts'
import { addressOf, redacted } from '../config/rules.ts'
import { endpointOf, guard, isOperator, judging } from '../config/service.ts'
import { type Judge, modelsOf, NoVerdict } from './service.ts'
import { tryHosted, tryServer } from './stages.ts'

/** Trials cost money and time, and there is one judge: they count for all workspaces together. */
export function takeTrial(app: App): void {
  const empty = app.limits.take('judge', 'trials')
  if (empty) throw empty
}

/**
 * The judge at another address or with another model, as far as they are given. What stands before the host of the
 * stored address goes to its own origin alone, and only operators may name private addresses.
 */
function judgeAt(app: App, actor: Actor, given: string | undefined, model: string | undefined): Judge | null {
  const { judge_wire, judge_model, judge_timeout_ms } = judging(app)
  const stored = endpointOf(app)
  const address = given ? addressOf(given) : stored
  if (!address) return null
  const same = stored !== null && new URL(address.url).origin === new URL(stored.url).origin
  return {
    wire: judge_wire.value,
    url: address.url,
    secret: address.secret || (same ? stored.secret : ''),
    model: model?.trim() || judge_model.value,
    timeoutMs: judge_timeout_ms.value,
    operator: same || isOperator(app, actor),
  }
}

export async function listModels(
  app: App,
  { actor, query, web }: Call<typeof keeper.models>,
): Promise<Reply<typeof keeper.models>> {
  takeTrial(app)
  const judge = judgeAt(app, actor, query.endpoint, undefined)
  const suggestions = suggestionsFor(web?.ip)
  if (!judge) {
    const error = query.endpoint ? 'That is no http or https address' : 'The judge has no address'
    return { endpoint: '', models: [], suggestions, error }
  }
  const endpoint = redacted(judge)
  try {
    const models = await modelsOf(app, judge)
    return { endpoint, models: models ?? [], suggestions, ...(!models && { error: 'The server lists no models' }) }
  } catch (error) {
    if (!(error instanceof NoVerdict)) throw error
    return { endpoint, models: [], suggestions, error: error.message }
  }
}

/** Where a server of one's own may answer: on this machine, or on the caller's. */
function suggestionsFor(ip: string | undefined): { url: string; label: string }[] {
  const { port } = new URL(usualJudge)
  const here = { url: usualJudge, label: 'On the machine of the server' }
  if (!ip || /^(::1|127\.|::ffff:127\.)/.test(ip)) return [here]
  const host = ip.replace(/^::ffff:/, '')
  return [here, { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, label: 'On your machine' }]
}

export async function test(app: App, { actor, body }: Call<typeof keeper.test>): Promise<Reply<typeof keeper.test>> {
  takeTrial(app)
  const judge = judgeAt(app, actor, body?.judge_endpoint_url, body?.judge_model)
  if (judge) return tryServer(app, judge, redacted(judge))
  if (body?.judge_endpoint_url)
    throw problem('invalid_field', {
      field: 'judge_endpoint_url',
      detail: 'judge_endpoint_url is an http or https address without ? and #',
    })
  const nowhere: Judge = { wire: 'ollama', url: '', secret: '', model: '', timeoutMs: 0, operator: false }
  return tryServer(app, nowhere, '')
}

export async function testHosted(
  app: App,
  { actor, body }: Call<typeof keeper.testHosted>,
): Promise<Reply<typeof keeper.testHosted>> {
  const provider = hostedOf(body.provider)
  if (!body.credential_id) guard(app, actor)
  takeTrial(app)
  const base = vendorAddress(app.config, provider) ?? ''
  const key = keyFor(app, actor.workspace, provider, body.credential_id ?? '')
  const judge =
    'token' in key
      ? {
          wire: provider.judging!.wire,
          url: base,
          secret: key.token,
          model: body.model,
          timeoutMs: judgeTimeout.fallback,
          operator: true,
        }
      : key.missing
  return tryHosted(app, judge, { endpoint: base, model: body.model })
}

type Hosting = (typeof providers)[number]

/** The providers that can judge with a key alone. */
export const hosting = providers.filter((it) => it.judging && it.serverKey)

/** The provider that can judge, by its name in lower case. */
export function hostedOf(name: string): Hosting {
  const found = hosting.find((it) => it.name.toLowerCase() === name.trim().toLowerCase())
  if (found) return found
  const known = hosting.map((it) => it.name.toLowerCase()).join(', ')
  throw problem('invalid_field', { field: 'provider', detail: `provider must be one of ${known}` })
}

/** The server's own key of a provider; empty where there is none. */
export const serverKeyOf = ({ config }: App, { serverKey }: Hosting): string => config.vendor[serverKey!.path] ?? ''

/** The key with which a provider is asked: that of a credential, or the server's own; or why there is none. */
export function keyFor(
  app: App,
  workspace: string,
  provider: Hosting,
  credentialId: string,
): { token: string } | { missing: string } {
  if (!credentialId) {
    const token = serverKeyOf(app, provider)
    return token ? { token } : { missing: `The server has no key of its own: set ${provider.serverKey!.env}` }
  }
  if (!app.vault)
    throw problem('unavailable', { detail: 'This server has no encryption key, so it opens no credential' })
  const key = apiKeyOf(app, workspace, credentialId)
  if (!key) return { missing: 'There is no such credential, or it is no working API_KEY' }
  if (key.provider !== provider.name) return { missing: `That is a key of ${key.provider}` }
  return { token: key.token }
}
