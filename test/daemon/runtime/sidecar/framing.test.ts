import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { bodyLength, faultOf, framingOf } from '#runtime/sidecar/framing'

/** A request as a parser that lets everything through would hand it over. */
function request(method: string, lines: [name: string, value: string][], httpVersion = '1.1'): IncomingMessage {
  const headersDistinct: Record<string, string[]> = {}
  for (const [name, value] of lines)
    headersDistinct[name.toLowerCase()] = [...(headersDistinct[name.toLowerCase()] ?? []), value]
  const headers = Object.fromEntries(Object.entries(headersDistinct).map(([name, values]) => [name, values[0]]))
  return { method, httpVersion, rawHeaders: lines.flat(), headersDistinct, headers } as unknown as IncomingMessage
}

const host: [string, string] = ['Host', 'x']

describe('a request that any reader reads alike', () => {
  it.each<[string, [string, string][], number | null, object]>([
    ['GET', [], 0, {}],
    ['GET', [['Content-Length', '0']], 0, {}],
    ['GET', Array<[string, string]>(99).fill(['a', 'b']), 0, {}],
    ['POST', [], 0, { 'content-length': '0' }],
    ['POST', [['Content-Length', '012']], 12, { 'content-length': '12' }],
    ['POST', [['Transfer-Encoding', 'Chunked']], null, { 'transfer-encoding': 'chunked' }],
  ])('has no fault, and goes on with bounds of our own: %s %j', (method, lines, length, framing) => {
    const it = request(method, [host, ...lines])
    expect([faultOf(it), bodyLength(it), framingOf(method, length)]).toEqual([null, length, framing])
  })
})

describe('a request of which two readers could disagree', () => {
  it.each<[string, IncomingMessage]>([
    ['it is not HTTP/1.1', request('POST', [host, ['transfer-encoding', 'chunked']], '1.0')],
    ['it has more than 100 headers', request('GET', [host, ...Array<[string, string]>(100).fill(['a', 'b'])])],
    ['a header holds what no header may hold', request('GET', [host, ['a b', 'c']])],
    ['a header holds what no header may hold', request('GET', [host, ['', 'c']])],
    ['a header holds what no header may hold', request('GET', [host, ['a', 'b\r\nc: d']])],
    ['a header holds what no header may hold', request('GET', [host, ['a', 'b\0']])],
    ['it needs one Host header', request('GET', [])],
    ['it needs one Host header', request('GET', [host, ['HOST', 'y']])],
    ['its length is stated more than once', request('POST', [host, ['content-length', '1'], ['Content-Length', '1']])],
    [
      'its length is stated more than once',
      request('POST', [host, ['content-length', '1'], ['transfer-encoding', 'chunked']]),
    ],
    [
      'its length is stated more than once',
      request('POST', [host, ['transfer-encoding', 'chunked'], ['transfer-encoding', 'chunked']]),
    ],
    ...['', '+1', '-1', '1 ', '0x1', '1e1', '1,1', '9'.repeat(16)].map((length): [string, IncomingMessage] => [
      'its Content-Length is no whole number',
      request('POST', [host, ['content-length', length]]),
    ]),
    ...['identity', 'gzip, chunked', 'chunked, chunked', 'xchunked', '"chunked"', 'chunked;q=1', ''].map(
      (coding): [string, IncomingMessage] => [
        'of transfer encodings only "chunked" is taken',
        request('POST', [host, ['transfer-encoding', coding]]),
      ],
    ),
    ['a GET has no body', request('GET', [host, ['content-length', '1']])],
    ['a HEAD has no body', request('HEAD', [host, ['transfer-encoding', 'chunked']])],
    ['its expect header is not taken', request('POST', [host, ['Expect', '100-continue']])],
    ['its upgrade header is not taken', request('GET', [host, ['Upgrade', 'h2c']])],
  ])('is at fault: %s', (fault, it) => {
    expect(faultOf(it)).toBe(fault)
  })
})
