import { Args, Flags } from '@oclif/core'
import type { Client } from '#client'
import { ask, emailFlaw, emptyFlaw, InputError, interactive, jsonIn, secret } from '../input.ts'
import { storedSecret } from '../webhooks/target.ts'

type Body = Parameters<Client['channels']['testDraft']>[0]['body']
type Provider = Awaited<ReturnType<Client['channels']['providers']>>['providers'][number]

export const draftArgs = {
  kind: Args.string({
    required: true,
    description: 'email, webhook, or a service that `muster channels providers` lists',
  }),
}

/** Flags that say where a channel leads. Secrets never stand on a command line, where others could read them. */
export const draftFlags = {
  to: Flags.string({ helpValue: 'ADDRESS', description: 'of mail: the address' }),
  url: Flags.string({ description: 'of a webhook: where it is posted to; begins with https://' }),
  'secret-file': Flags.string({
    helpValue: 'FILE',
    description: 'of a webhook: what signs it, in this file or on standard input with -; a new one unless given',
  }),
  field: Flags.string({
    multiple: true,
    helpValue: 'NAME=VALUE',
    description: 'of a service: what it needs, but for secrets, which are typed unseen or stand in --fields-file',
  }),
  'fields-file': Flags.string({
    helpValue: 'FILE',
    description: 'of a service: what it needs, as JSON, in this file or on standard input with -',
  }),
}

interface Given {
  to?: string | undefined
  url?: string | undefined
  'secret-file'?: string | undefined
  field?: string[] | undefined
  'fields-file'?: string | undefined
}

/** Where a channel is to lead; at a terminal, what is missing is asked for. */
export async function draftBody(api: Client, kind: string, flags: Given): Promise<Body> {
  if (kind === 'email') return { type: 'email', to: flags.to ?? (await asked('--to', 'Address', emailFlaw)) }
  if (kind === 'webhook') {
    const url = flags.url ?? (await asked('--url', 'URL, which begins with https://', emptyFlaw))
    const file = flags['secret-file']
    return { type: 'webhook', url, ...(file !== undefined && { secret: await storedSecret(file) }) }
  }
  const { providers } = await api.channels.providers()
  const provider = providers.find((it) => it.provider === kind)
  if (!provider) throw new InputError(`There is no service "${kind}".`, 'muster channels providers')
  return { type: 'shoutrrr', provider: kind, fields: await fieldsOf(provider, flags) }
}

async function asked(flag: string, message: string, flaw: typeof emailFlaw): Promise<string> {
  if (!interactive()) throw new InputError(`${flag} is required.`)
  return ask(message, flaw)
}

async function fieldsOf(provider: Provider, flags: Given): Promise<Record<string, string>> {
  const fields: Record<string, string> = { ...(await fieldsInFile(flags['fields-file'])), ...fieldsIn(provider, flags) }
  const missing = provider.fields.filter(({ key }) => fields[key] === undefined)
  if (!interactive() || flags['fields-file'] !== undefined) {
    const needed = missing.find(({ required }) => required)
    if (needed)
      throw new InputError(
        `${provider.label} needs ${needed.key}: give it in --fields-file${needed.secret ? '' : ' or with --field'}.`,
        'muster channels providers',
      )
    return fields
  }
  for (const { key, label, help, required, secret: isSecret } of missing) {
    if (!required && flags.field) continue
    const message = help ? `${label} (${help})` : label
    const value = isSecret && required ? await secret(message) : await ask(message, required ? emptyFlaw : undefined)
    if (value) fields[key] = value
  }
  return fields
}

async function fieldsInFile(file: string | undefined): Promise<Record<string, string>> {
  if (file === undefined) return {}
  const read = jsonIn('fields-file', await storedSecret(file, 'fields-file'))
  if (typeof read !== 'object' || read === null || Object.values(read).some((value) => typeof value !== 'string'))
    throw new InputError('--fields-file must hold an object of texts.')
  return read as Record<string, string>
}

function fieldsIn({ fields, label }: Provider, { field = [] }: Given): Record<string, string> {
  return Object.fromEntries(
    field.map((one) => {
      const at = one.indexOf('=')
      if (at < 1) throw new InputError('--field must be NAME=VALUE.')
      const key = one.slice(0, at)
      const known = fields.find((it) => it.key === key)
      if (!known) throw new InputError(`${label} has no field "${key}".`, 'muster channels providers')
      if (known.secret)
        throw new InputError(`${key} is a secret: leave it out to type it unseen, or give it in --fields-file.`)
      return [key, one.slice(at + 1)]
    }),
  )
}
