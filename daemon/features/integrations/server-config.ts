import { problem } from '#kernel/problem'
import { parseObject } from './json-text.ts'

/** How a server is called, beside where it is. */
export interface ServerConfig {
  headers?: Record<string, string>
  /** How long a call of a tool may take. */
  timeout_seconds?: number
}

const mostHeaders = 20
/** Headers that tell who calls: a credential is bound for that, which is stored encrypted. */
const telling = /^(authorization|proxy-authorization|cookie)$|token|secret|api-?key|password/i
/** Headers that belong to the protocol. */
const taken = /^(host|content-(length|type|encoding)|transfer-encoding|connection|accept|mcp-.+|upgrade|te|trailer)$/i

/** Reads `config_json` or what overrides it. */
export function readConfig(field: string, json: string): ServerConfig {
  const refuse = (detail: string) => problem('invalid_field', { field, detail })
  const { headers, timeout_seconds: seconds, ...others } = parseObject(field, json)
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw refuse(`${field} has headers and timeout_seconds, and no other member`)
  if (seconds !== undefined && !(Number.isInteger(seconds) && (seconds as number) >= 1 && (seconds as number) <= 300))
    throw refuse('timeout_seconds must be a whole number from 1 to 300')
  return {
    ...(headers !== undefined && { headers: readHeaders(headers, refuse) }),
    ...(seconds !== undefined && { timeout_seconds: seconds as number }),
  }
}

function readHeaders(given: unknown, refuse: (detail: string) => Error): Record<string, string> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw refuse('headers must be an object')
  const headers = Object.entries(given)
  if (headers.length > mostHeaders) throw refuse(`There may be ${mostHeaders} headers`)
  for (const [name, value] of headers) {
    if (!/^[A-Za-z0-9-]{1,64}$/.test(name)) throw refuse('Names of headers have A-Z, a-z, 0-9 and -')
    if (telling.test(name)) throw refuse(`Bind a credential instead of writing ${name} here, where people read it`)
    if (taken.test(name)) throw refuse(`The header ${name} cannot be set`)
    if (typeof value !== 'string' || !/^[\x20-\x7e]{0,1000}$/.test(value))
      throw refuse(`The value of ${name} must be at most 1000 characters of ASCII`)
  }
  return given as Record<string, string>
}

/** Whether a header may carry a credential. */
export const mayCarry = (header: string): boolean => !taken.test(header)

/** One configuration with the members of another that win. */
export const overridden = (config: ServerConfig, by: ServerConfig): ServerConfig => ({ ...config, ...by })
