import { Flags } from '@oclif/core'
import type { Static } from 'typebox'
import type { Client } from '#client'
import { credentialProviders as providers, credentialTypes as types } from '#client/words'
import type { CredentialDraft, CredentialPatch } from '#contract/credentials'
import { given, oneOf } from '../flags.ts'
import { secret } from '../input.ts'
import { crewId } from '../lookup.ts'

export const kindFlags = {
  type: oneOf(types, { helpValue: 'TYPE', description: `type: ${types.join(', ')}` }),
  provider: oneOf(providers, { helpValue: 'NAME', description: `provider: ${providers.slice(1).join(', ')}` }),
}

/** Flags of what a person decides of a credential; its value is no flag. */
export const credentialFlags = {
  ...kindFlags,
  description: Flags.string({ description: 'purpose of the credential' }),
  crew: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'CREW',
    description: 'restrict to agents of this crew; repeatable, empty for the whole workspace',
  }),
  tag: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'WORD',
    description: 'tag; repeatable',
  }),
  level: Flags.integer({
    min: 1,
    max: 4,
    helpValue: 'LEVEL',
    description: 'harm that its loss does, 1 to 4; from 3 on agents have to ask for it',
  }),
  label: Flags.string({ description: 'label of the account that it belongs to' }),
  email: Flags.string({ description: 'email address of the account that it belongs to' }),
  expires: Flags.string({
    helpValue: 'TIME',
    description: 'expiry as an RFC 3339 time; agents do not get it after that',
  }),
}

/** Flags of how the tokens of a credential of type OAUTH2 are had. */
export const oauthFlags = {
  'auth-url': Flags.string({ helpGroup: 'MORE', helpValue: 'URL', description: 'OAUTH2: where people sign in' }),
  'token-url': Flags.string({ helpGroup: 'MORE', helpValue: 'URL', description: 'OAUTH2: where codes become tokens' }),
  scopes: Flags.string({ helpGroup: 'MORE', helpValue: 'WORDS', description: 'OAUTH2: scopes, with blanks between' }),
  resource: Flags.string({
    helpGroup: 'MORE',
    helpValue: 'URL',
    description: 'OAUTH2: server that the tokens are for (default: that of the two addresses)',
  }),
  'client-id': Flags.string({ helpGroup: 'MORE', helpValue: 'ID', description: 'OAUTH2: id of the client' }),
  'client-secret-stdin': Flags.boolean({
    helpGroup: 'MORE',
    description: 'OAUTH2: read the secret of the client from standard input, or ask for it',
  }),
}

/** The members that these flags say; the secret is no argument. */
export async function oauthBody(flags: {
  'auth-url'?: string | undefined
  'token-url'?: string | undefined
  scopes?: string | undefined
  resource?: string | undefined
  'client-id'?: string | undefined
  'client-secret-stdin'?: boolean
}): Promise<Partial<Static<typeof CredentialDraft>>> {
  const secretOfClient = flags['client-secret-stdin'] ? (await secret('Secret of the client')).trim() : undefined
  return given({
    oauth_auth_url: flags['auth-url'],
    oauth_token_url: flags['token-url'],
    oauth_scopes: flags.scopes,
    oauth_resource: flags.resource,
    oauth_client_id: flags['client-id'],
    oauth_client_secret: secretOfClient,
  })
}

interface Given {
  type?: (typeof types)[number] | undefined
  provider?: (typeof providers)[number] | undefined
  description?: string | undefined
  crew?: string[] | undefined
  tag?: string[] | undefined
  level?: number | undefined
  label?: string | undefined
  email?: string | undefined
  expires?: string | undefined
}

/** The body of a create or a change from the flags that were given. */
export async function credentialBody(
  api: Client,
  { type, provider, description, crew, tag, level, label, email, expires }: Given,
): Promise<Static<typeof CredentialPatch>> {
  const crews = crew && (await Promise.all(crew.filter(Boolean).map((name) => crewId(api, name))))
  return given({
    type,
    provider,
    description,
    scope: crews && (crews.length ? 'CREW' : 'WORKSPACE'),
    crew_ids: crews,
    tags: tag?.filter(Boolean),
    security_level: level,
    account_label: label,
    account_email: email,
    token_expires_at: expires,
  })
}

/** How the value of a credential is given. */
export const valueFlag = {
  'value-stdin': Flags.boolean({
    description: 'read the value from standard input (default without a terminal)',
  }),
}
