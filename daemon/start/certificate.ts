import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { createSecureContext, Server as SecureServer } from 'node:tls'
import { type Config, ConfigError } from '#kernel/config'
import type { TlsFiles } from '#kernel/http/web-server'

/** The certificate that the settings name, found to fit its key; undefined where TLS is not served. */
export function readCertificate({ tlsCert, tlsKey }: Pick<Config, 'tlsCert' | 'tlsKey'>): TlsFiles | undefined {
  if (!tlsCert) return undefined
  const files = { cert: read('server.tls_cert', tlsCert), key: read('server.tls_key', tlsKey) }
  try {
    createSecureContext(files)
  } catch (error) {
    throw new ConfigError(`${tlsCert} and ${tlsKey} cannot be served: ${(error as Error).message}`)
  }
  return files
}

function read(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError(`${setting} cannot be read: ${(error as Error).message}`)
  }
}

/** Connections made from now on see this certificate. */
export function certify(server: Server | null, files: TlsFiles): void {
  if (server instanceof SecureServer) server.setSecureContext(files)
}
