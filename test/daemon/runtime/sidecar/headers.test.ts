import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { answerHeaders, forwardable, listed } from '#runtime/sidecar/headers'

/** A message with these lines as its headers: a request with a method, an answer without. */
function message(lines: [name: string, value: string][], method?: string): IncomingMessage {
  const headersDistinct: Record<string, string[]> = {}
  for (const [name, value] of lines) {
    const key = name.toLowerCase()
    headersDistinct[key] = [...(headersDistinct[key] ?? []), value]
  }
  const headers = Object.fromEntries(Object.entries(headersDistinct).map(([name, values]) => [name, values.join(', ')]))
  return { headers, headersDistinct, method } as Partial<IncomingMessage> as IncomingMessage
}

describe('what is forwarded', () => {
  it.each([
    'Connection',
    'Keep-Alive',
    'Proxy-Connection',
    'Proxy-Authenticate',
    'Proxy-Authorization',
    'TE',
    'Trailer',
    'Upgrade',
    'Expect',
    'Host',
    'X-One',
    'X-Two',
  ])('is not %s', (name) => {
    const lines: [string, string][] = [
      [name, 'x'],
      ['connection', 'X-One , x-two'],
      ['accept', 'y'],
    ]
    expect(forwardable(message(lines, 'POST'), ['host'])).toEqual({ accept: 'y' })
  })

  it('is each other header, in all its lines', () => {
    const lines: [string, string][] = [
      ['X-A', '1'],
      ['x-a', '2'],
      ['Host', 'h'],
    ]
    expect(forwardable(message(lines))).toEqual({ 'x-a': ['1', '2'], host: 'h' })
  })

  it('is the framing, whatever the connection header says', () => {
    const bound: [string, string][] = [
      ['connection', 'content-length, transfer-encoding'],
      ['content-length', '5'],
    ]
    expect(forwardable(message(bound, 'GET'))).toEqual({ 'content-length': '5' })
    const chunked: [string, string][] = [['transfer-encoding', 'gzip, chunked']]
    expect(forwardable(message(chunked, 'GET'))).toEqual({ 'transfer-encoding': 'chunked' })
    expect(forwardable(message(chunked))).toEqual({})
    expect(forwardable(message([['accept', 'y']], 'GET'))).toEqual({ accept: 'y' })
  })
})

it('headers are picked by name, each in one line', () => {
  const lines: [string, string][] = [
    ['x-a', '1'],
    ['X-A', '2'],
    ['y', '3'],
  ]
  expect(listed(message(lines), /^x-/)).toEqual({ 'x-a': '1, 2' })
})

describe('an answer for an agent', () => {
  it.each(['Set-Cookie', 'Set-Cookie2', 'Alt-Svc', 'Content-Length'])('has no %s', (name) =>
    expect(
      answerHeaders(
        message([
          [name, 'x'],
          ['retry-after', '5'],
        ]),
        'sk-ant-secret',
      ),
    ).toEqual({ 'retry-after': '5' }),
  )

  it('does not repeat the credential, from eight characters on', () => {
    const lines: [string, string][] = [
      ['x-a', 'key 12345678, 12345678'],
      ['x-b', '1'],
      ['x-b', 'of 12345678'],
    ]
    expect(answerHeaders(message(lines), '12345678')).toEqual({
      'x-a': 'key [redacted], [redacted]',
      'x-b': ['1', 'of [redacted]'],
    })
    expect(answerHeaders(message(lines), '1234567')).toEqual({
      'x-a': 'key 12345678, 12345678',
      'x-b': ['1', 'of 12345678'],
    })
  })
})
