/** What clients send. docs/rules/streams.md, "WebSocket". */
export interface ClientFrame {
  type?: unknown
  token?: unknown
  channel?: unknown
  payload?: unknown
}

/** Null for what is no JSON object. */
export function parse(text: string): ClientFrame | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** A payload may come as an object or as its JSON text. */
export function members(payload: unknown): Record<string, unknown> {
  const value = typeof payload === 'string' ? parse(payload) : payload
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
