import { Type } from 'typebox'
import { line, nullable } from './fields.ts'

/** Members that a credential of type OAUTH2 has from its creation on. */
export const oauthMembers = [
  'oauth_client_id',
  'oauth_client_secret',
  'oauth_auth_url',
  'oauth_token_url',
  'oauth_scopes',
  'oauth_resource',
  'refresh_token',
] as const

const address = (description: string) => Type.Optional(nullable(Type.String({ maxLength: 2000, description })))
/** How the tokens of a new credential of type OAUTH2 are had. */
export const OauthMembers = {
  oauth_client_id: Type.Optional(nullable(line(500))),
  oauth_client_secret: Type.Optional(nullable(Type.String({ maxLength: 2000, description: 'Never answered' }))),
  oauth_auth_url: address('Where people sign in'),
  oauth_token_url: address('Where codes become tokens'),
  oauth_scopes: Type.Optional(nullable(line(2000))),
  oauth_resource: address('What the tokens are for; without it the servers of the two addresses before'),
  refresh_token: Type.Optional(
    nullable(Type.String({ maxLength: 16_384, description: 'Of a sign-in elsewhere; never answered' })),
  ),
}
