import { describe, expect, it } from 'vitest'
import { ownRefusal } from '#runtime/adapters/own-refusal'

const down = 'The upstream 127.0.0.1:4000 cannot be reached: the connection failed (ECONNREFUSED).'

describe('a refusal of our own sidecar', () => {
  it.each<[string, text: string, kind: string, reason: string]>([
    ['as it is', `Muster: ${down} (Muster)`, 'upstream', down],
    ['after the words of the client', `API Error: 502 Muster: ${down} (Muster)`, 'upstream', down],
    ['in JSON', `API Error: 502 {"error":{"message":"Muster: ${down} (Muster)"},"x":"1."}`, 'upstream', down],
    [
      'in JSON within JSON',
      `[API Error: {\\"error\\":{\\"message\\":\\"Muster: ${down} (Muster)\\"}}]`,
      'upstream',
      down,
    ],
    ['before an address', `unexpected status 502: Muster: ${down} (Muster), url: http://127.0.0.1/x`, 'upstream', down],
    [
      'before advice of the client',
      `API Error: 502 Muster: ${down} (Muster). Try again in a moment.`,
      'upstream',
      down,
    ],
    ['in brackets', `[API Error: Muster: ${down} (Muster)]`, 'upstream', down],
    ['of two sentences', 'Muster: No. Next: do it. (Muster)', 'sidecar', 'No. Next: do it.'],
  ])('is told from the text: %s', (_, text, kind, reason) => expect(ownRefusal(text)).toEqual({ kind, reason }))

  it.each(['Overloaded', 'API Error: 529 {"error":{"message":"Overloaded."}}', 'Muster: without an end'])(
    'is not %s',
    (text) => expect(ownRefusal(text)).toBeNull(),
  )
})
