import type { Static } from 'typebox'
import { oauthMembers } from '#contract/credential-oauth'
import type { CredentialDraft, CredentialType } from '#contract/credentials'
import { blankToNull } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import type { OauthClient } from './rules.ts'

type Draft = Static<typeof CredentialDraft>

const refuse = (field: string, detail: string) => problem('invalid_field', { field, detail })

/** How the tokens of a new credential are had; null for other types, which take none of these members. */
export function readClient(body: Draft, type: CredentialType): { client: OauthClient; refresh: string | null } | null {
  if (type !== 'OAUTH2') {
    const stray = oauthMembers.find((member) => blankToNull(body[member]) !== null)
    if (stray) throw refuse(stray, `${stray} belongs to a credential of type OAUTH2`)
    return null
  }
  return {
    client: {
      issuer: null,
      auth_url: address('oauth_auth_url', body),
      token_url: address('oauth_token_url', body),
      registration_url: null,
      client_id: blankToNull(body.oauth_client_id),
      client_secret: blankToNull(body.oauth_client_secret),
      auth_method: null,
      redirect_uri: null,
      scopes: blankToNull(body.oauth_scopes) ?? '',
      resource: address('oauth_resource', body),
      indicated: blankToNull(body.oauth_resource) !== null,
      names_itself: false,
    },
    refresh: blankToNull(body.refresh_token),
  }
}

/** An address that a browser or the daemon is sent to; where it leads is judged whenever it is called. */
function address(member: 'oauth_auth_url' | 'oauth_token_url' | 'oauth_resource', body: Draft): string | null {
  const text = blankToNull(body[member])
  if (text === null) return null
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash)
    throw refuse(member, `${member} must be an address that begins with https://`)
  return url.href
}
