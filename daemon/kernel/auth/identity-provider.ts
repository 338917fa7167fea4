import type { Config } from '../config.ts'

/** Where the provider sends browsers back to, under the server's address. The provider must know it. */
export const callbackPath = '/api/v1/auth/idp/callback'

/** Whether people can sign in with an identity provider: both settings are there. */
export const isConfigured = ({ idpClientId, idpClientSecret }: Config): boolean =>
  Boolean(idpClientId && idpClientSecret)

/** What people call the provider. */
export const nameOf = (issuer: string): string =>
  issuer === 'https://accounts.google.com' ? 'Google' : new URL(issuer).host
