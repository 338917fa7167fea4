import { randomBytes } from 'node:crypto'
import type { channels } from '#contract/channels'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { isAddress } from '#kernel/mail/target'
import { problem } from '#kernel/problem'
import { providerCalled } from './providers/index.ts'
import { FieldFlaw, type Fields, type Provider } from './providers/types.ts'
import { queries } from './queries.ts'
import type { Target } from './sending/rules.ts'

type Body = Call<typeof channels.testDraft>['body']

const flaw = (field: string, detail: string) => problem('invalid_field', { field, detail })
const missing = (field: string, detail: string) => problem('missing_field', { field, detail })

/** Where a channel is to lead, as somebody entered it. */
export function draftOf(app: App, body: Body): Target {
  const none = { url: null, address: null, provider: null, secret: null }
  if (body.type === 'email') return { ...none, type: 'email', address: addressIn(body) }
  if (body.type === 'webhook')
    return { ...none, type: 'webhook', url: urlIn(body), secret: body.secret ?? randomBytes(32).toString('hex') }
  const provider = providerIn(app, body)
  return { ...none, type: 'shoutrrr', provider: provider.provider, secret: serviceUrl(provider, body) }
}

function addressIn({ to }: Body): string {
  if (!to?.trim()) throw missing('to', 'to is required: the address that mail is sent to')
  const address = to.trim()
  if (!isAddress(address)) throw flaw('to', 'to must be an e-mail address')
  return address
}

function urlIn({ url }: Body): string {
  if (!url?.trim()) throw missing('url', 'url is required: where the webhook is posted to')
  const parsed = URL.canParse(url.trim()) ? new URL(url.trim()) : null
  if (parsed?.protocol === 'http:') throw flaw('url', 'url must begin with https://: messages would travel in clear')
  if (parsed?.protocol !== 'https:' || !parsed.hostname) throw flaw('url', 'url must begin with https://')
  if (parsed.username || parsed.password) throw flaw('url', 'url must not carry a user name or password')
  return parsed.href
}

function providerIn(app: App, { provider: name }: Body): Provider {
  if (!name) throw missing('provider', 'provider is required: which service')
  const provider = providerCalled(name)
  if (!provider) throw flaw('provider', 'There is no service of that name')
  if (!isEnabled(app, name)) throw flaw('provider', `New channels to ${provider.label} are not allowed on this server`)
  return provider
}

export const isEnabled = ({ db }: App, provider: string): boolean => queries(db).switched.get(provider)?.enabled !== 0

function serviceUrl(provider: Provider, { fields, shoutrrr_url }: Body): string {
  if (fields) return composed(provider, trimmed(fields))
  if (!shoutrrr_url?.trim()) throw missing('fields', `fields is required: what ${provider.label} needs`)
  const given = shoutrrr_url.trim()
  const url = URL.canParse(given) ? new URL(given) : null
  if (url?.protocol !== `${provider.provider}:`)
    throw flaw('shoutrrr_url', `shoutrrr_url must begin with ${provider.provider}://`)
  return usable(provider, given, 'shoutrrr_url')
}

const trimmed = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, value.trim()]))

function composed(provider: Provider, fields: Fields): string {
  for (const { key, required } of provider.fields) {
    if (required && !fields[key]) throw missing(`fields.${key}`, `${key} is required for ${provider.label}`)
    if (/[\p{Cc}\u2028\u2029]/u.test(fields[key] ?? '')) throw flaw(`fields.${key}`, `${key} must be one line`)
  }
  try {
    return usable(provider, provider.compose(fields), 'fields')
  } catch (error) {
    if (error instanceof FieldFlaw) throw flaw(`fields.${error.field}`, error.message)
    throw error
  }
}

function usable(provider: Provider, text: string, field: string): string {
  const wrong = URL.canParse(text) ? provider.flaw(new URL(text)) : `It cannot be used for ${provider.label}`
  if (wrong) throw flaw(field, wrong)
  return text
}
