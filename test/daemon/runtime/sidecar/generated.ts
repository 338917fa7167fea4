import fc from 'fast-check'
import type { Leaving } from './raw.ts'

/** One request of a client, as it is written and as it was meant. */
export interface Asked {
  id: string
  /** By the strictest reading: it has to be answered by the vendor. */
  regular: boolean
  bytes: string
  method: string
  target: string
  body: string
}

/** One connection of an agent: its requests, one behind the other, and how they are sent. */
export interface Visit {
  agent: 'ada' | 'bob'
  asked: Asked[]
  leaving: Leaving
  bytes: string
}

/** How the vendor answers a request, written into the request's nonce. */
export const answers = [
  'plain',
  'chunks',
  'surplus',
  'early',
  'hints',
  'switch',
  'gone',
  'short',
  'both',
  'splits',
] as const

const known = ['/v1/messages', '/v1/messages?beta=true', '/v1/messages/count_tokens', '/v1/%6dessages']
const unknown = [
  '/v1/organizations/api_keys',
  '/v1/files',
  '//v1/messages',
  '/v1/messages#x',
  'http://x/v1/messages',
  '/v1/../v1/messages',
  '*',
  '/v1/messages?a b',
]

/** Lines that say where a body ends, for a body of that size, and whether the body is written in chunks. */
const framings: Record<string, (size: number) => [lines: string[], chunks?: true]> = {
  length: (size) => [[`Content-Length: ${size}`]],
  chunks: () => [['Transfer-Encoding: chunked'], true],
  shouted: () => [['TRANSFER-ENCODING: CHUNKED'], true],
  none: () => [[]],
  twice: (size) => [[`content-length: ${size}`, `content-length: ${size}`]],
  unlike: (size) => [[`content-length: ${size}`, 'content-length: 0']],
  listed: (size) => [[`content-length: ${size}, ${size}`]],
  signed: (size) => [[`content-length: +${size}`]],
  hex: (size) => [[`content-length: 0x${size.toString(16)}`]],
  both: (size) => [[`content-length: ${size}`, 'transfer-encoding: chunked']],
  bothChunks: () => [['transfer-encoding: chunked', 'content-length: 3'], true],
  spaced: (size) => [[`content-length : ${size}`]],
  folded: (size) => [['content-length:', ` ${size}`]],
  low: (size) => [[`content_length: ${size}`]],
  coded: () => [['transfer-encoding: gzip, chunked'], true],
  identity: () => [['transfer-encoding: identity']],
  unknown: () => [['transfer-encoding: xchunked'], true],
  quoted: () => [['transfer-encoding: "chunked"'], true],
  doubled: () => [['transfer-encoding: chunked', 'transfer-encoding: identity'], true],
  tabbed: () => [['transfer-encoding:\x0bchunked'], true],
}
const regularFramings = ['length', 'chunks', 'shouted']

const named = [
  'keep-alive',
  'content-length',
  'Transfer-Encoding',
  'host',
  'x-api-key',
  'X-API-KEY',
  'content-type',
  'te',
  'user-agent',
]
const connection = fc.option(fc.uniqueArray(fc.constantFrom(...named), { maxLength: 5 }), { nil: [] })

const strange = [
  'Expect: 100-continue',
  'Upgrade: h2c',
  'x-folded: a\r\n b',
  'x-control: a\x01b',
  'x-bare: a\nx-injected: b',
  'x-return: a\rb',
  'host: y',
  'no colon',
  ': no name',
  'x y: z',
  '\x00: z',
]
const harmless = [
  'te: trailers',
  'Trailer: x-later',
  'cookie: a=b',
  'proxy-authorization: Basic x',
  'x-forwarded-host: y',
  'anthropic-beta: a',
  'Anthropic-Beta: b',
  'x-http-method-override: DELETE',
  'content-type: application/json',
  `x-long: ${'l'.repeat(3000)}`,
  'x-utf: \xc3\xa9',
]

/** Regular in all that says what a request is and where it ends; or, now and then in each respect, wild. */
const request = (wild: boolean) => {
  const mostly = <T>(regular: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
    fc.oneof({ arbitrary: regular, weight: 5 }, { arbitrary: other, weight: wild ? 1 : 0 })
  return fc.record({
    method: mostly(fc.constant('POST'), fc.constantFrom('GET', 'HEAD', 'PUT', 'TRACE', 'post', 'OPTIONS', 'DELETE')),
    target: mostly(fc.constantFrom(...known), fc.constantFrom(...unknown)),
    version: mostly(fc.constant('1.1'), fc.constantFrom('1.0', '1.2', '2.0')),
    framing: mostly(fc.constantFrom(...regularFramings), fc.constantFrom(...Object.keys(framings))),
    strange: mostly(fc.constant<string[]>([]), fc.subarray(strange, { minLength: 1, maxLength: 2 })),
    trailer: mostly(
      fc.constantFrom('', 'x-later: 1\r\n', 'x-api-key: dummy-bob\r\n'),
      fc.constant('content-length: 5\r\n'),
    ),
    connection,
    harmless: fc.subarray(harmless, { maxLength: 3 }),
    forges: fc.boolean(),
    extension: fc.constantFrom('', ';x=y', ';x="\\r\\n"'),
    answer: fc.constantFrom(...answers),
  })
}
type Choice = ReturnType<typeof request> extends fc.Arbitrary<infer T> ? T : never

let count = 0

function written(it: Choice, agent: string): Asked {
  const id = `n${++count}-${it.answer}`
  const forged =
    `POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: dummy-bob\r\nuser-agent: forged-${id}\r\ncontent-length: ` +
    '9999\r\n\r\n'
  const body = `${it.forges ? forged : ''}body of ${id}`
  const unframed = ['none', 'low'].includes(it.framing)
  const [framing, chunks] = framings[it.framing]!(body.length)
  const cut = Math.ceil(body.length / 2)
  const pieces = [body.slice(0, cut), body.slice(cut)].map(
    (piece) => `${piece.length.toString(16).toUpperCase()}${it.extension}\r\n${piece}\r\n`,
  )
  const tail = chunks ? `${pieces.join('')}0\r\n${it.trailer}\r\n` : unframed ? '' : body
  const listed = it.connection.length ? [`Connection: ${it.connection.join(' , ')}`] : []
  const head = [
    `${it.method} ${it.target} HTTP/${it.version}`,
    'Host: x',
    `X-Api-Key: dummy-${agent}`,
    `User-Agent: ${id}`,
  ]
  const framed =
    [...regularFramings, 'none'].includes(it.framing) && !(chunks && it.trailer.startsWith('content-length'))
  const regular =
    it.method === 'POST' && known.includes(it.target) && it.version === '1.1' && framed && !it.strange.length
  return {
    id,
    regular,
    bytes: `${[...head, ...listed, ...it.harmless, ...framing, ...it.strange].join('\r\n')}\r\n\r\n${tail}`,
    method: it.method,
    target: it.target.replace('%6d', 'm'),
    body: unframed ? '' : body,
  }
}

/** Answered by the sidecar itself; with it the connection ends. */
const farewell = 'GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'

/** Visits of two agents, at the same time. */
export const visits: fc.Arbitrary<Visit[]> = fc.array(
  fc
    .record({
      agent: fc.constantFrom('ada' as const, 'bob' as const),
      requests: fc.boolean().chain((wild) => fc.array(request(wild), { minLength: 1, maxLength: 3 })),
      sizes: fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 4 }),
      leaves: fc.oneof(
        { arbitrary: fc.constant(null), weight: 4 },
        { arbitrary: fc.double({ min: 0, max: 1, noNaN: true }), weight: 1 },
      ),
    })
    .map(({ agent, requests, sizes, leaves }) => {
      const asked = requests.map((it) => written(it, agent))
      const bytes = asked.map((it) => it.bytes).join('') + farewell
      return {
        agent,
        asked,
        bytes,
        leaving: { sizes, ...(leaves !== null && { after: Math.floor(leaves * bytes.length) }) },
      }
    }),
  { minLength: 1, maxLength: 4 },
)
