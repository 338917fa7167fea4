/**
 * The answer to a request, as JSON, if this beginning of a stream of events is that one message whole; else null.
 * html.spec.whatwg.org/multipage/server-sent-events.html.
 */
export function wholeAnswer(piece: string): string | null {
  if (!/(\r\n|\n|\r)\1$/.test(piece)) return null
  const events = piece.split(/\r\n\r\n|\n\n|\r\r/).flatMap((event) => dataOf(event) ?? [])
  const [only] = events
  return events.length === 1 && isAnswer(only!) ? only! : null
}

/** What an event says; null of one that says nothing, or is not a message. */
function dataOf(event: string): string | null {
  const data: string[] = []
  for (const line of event.split(/\r\n|\n|\r/)) {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
    if (name === 'event' && value !== 'message' && value !== '') return null
    if (name === 'data') data.push(value)
  }
  return data.join('\n') || null
}

/** Whether a message of JSON-RPC is a response. */
function isAnswer(text: string): boolean {
  try {
    const message: unknown = JSON.parse(text)
    return (
      typeof message === 'object' &&
      message !== null &&
      'id' in message &&
      !('method' in message) &&
      ('result' in message || 'error' in message)
    )
  } catch {
    return false
  }
}
