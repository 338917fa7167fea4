/** A frame from a client. docs/rules/streams.md, "WebSocket". */
export interface ClientFrame {
  type?: unknown
  token?: unknown
  channel?: unknown
  payload?: unknown
}

/** Null for anything but a JSON object. */
export function parse(text: string): ClientFrame | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** Members of a payload, which may be an object or its JSON text. */
export function members(payload: unknown): Record<string, unknown> {
  const value = typeof payload === 'string' ? parse(payload) : payload
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
