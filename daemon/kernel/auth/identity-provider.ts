import type { Config } from '../config.ts'

/** Path of the redirect URI, which has to be registered with the provider. */
export const callbackPath = '/api/v1/auth/idp/callback'

/** Whether an identity provider is configured. */
export const isConfigured = ({ idpClientId, idpClientSecret }: Config): boolean =>
  Boolean(idpClientId && idpClientSecret)

/** Display name of the provider. */
export const nameOf = (issuer: string): string =>
  issuer === 'https://accounts.google.com' ? 'Google' : new URL(issuer).host
