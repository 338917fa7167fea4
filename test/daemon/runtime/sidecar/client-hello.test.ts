import { Buffer } from 'node:buffer'
import { Duplex } from 'node:stream'
import { createSecureContext, TLSSocket } from 'node:tls'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { helloLimit, readClientHello } from '#runtime/sidecar/client-hello'
import { extension, hello, helloMessage, realHello, records, serverNames } from '../../../support/client-hello.ts'

describe('a client hello', () => {
  it('of a real client tells the server that it asks for', async () => {
    expect(readClientHello(await realHello('Permitted.example'))).toEqual({ serverName: 'Permitted.example' })
    expect(readClientHello(await realHello(''))).toEqual({ serverName: null })
  })

  it('is read to its end, however it is cut into records, and not before', () => {
    const message = helloMessage([extension(43, Buffer.from([2, 3, 4])), serverNames([0, 'permitted.example'])])
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 12 })
    fc.assert(
      fc.property(sizes, fc.nat(), (cuts, at) => {
        const bytes = records(message, cuts)
        expect(readClientHello(bytes)).toEqual({ serverName: 'permitted.example' })
        expect(readClientHello(Buffer.concat([bytes, Buffer.from([20, 3, 3, 0, 1, 1])]))).toEqual({
          serverName: 'permitted.example',
        })
        expect(readClientHello(bytes.subarray(0, at % bytes.length))).toBe('incomplete')
      }),
    )
  })

  it.each<[string, Buffer]>([
    ['no extensions at all', records(helloMessage())],
    ['an empty list of extensions', records(helloMessage([]))],
    ['extensions that do not name a server', records(helloMessage([extension(43, Buffer.from([2, 3, 4]))]))],
  ])('with %s asks for no server by name', (_, bytes) => expect(readClientHello(bytes)).toEqual({ serverName: null }))

  it.each<[string, Buffer]>([
    ['two names', records(helloMessage([serverNames([0, 'permitted.example'], [0, 'other.example'])]))],
    [
      'a name of another type first',
      records(helloMessage([serverNames([1, 'permitted.example'], [0, 'other.example'])])),
    ],
    [
      'two extensions with names',
      records(helloMessage([serverNames([0, 'permitted.example']), serverNames([0, 'other.example'])])),
    ],
    ['no name in the extension', records(helloMessage([serverNames()]))],
    ['an empty name', records(helloMessage([serverNames([0, ''])]))],
    ['a name with a null byte', records(helloMessage([serverNames([0, 'permitted.example\0.other.example'])]))],
    ['a name that is not ASCII', records(helloMessage([serverNames([0, 'permitted.exampl\xe9'])]))],
    [
      'bytes behind the names',
      records(helloMessage([extension(0, Buffer.concat([serverNames([0, 'a']).subarray(4), Buffer.from([0])]))])),
    ],
    [
      'bytes behind the extensions',
      records(Buffer.concat([lengthened(helloMessage([serverNames([0, 'a'])]), 1), Buffer.from([0])])),
    ],
    [
      'another message behind it in its record',
      records(Buffer.concat([helloMessage([serverNames([0, 'a'])]), helloMessage()])),
    ],
    [
      'a record of something else before it',
      Buffer.concat([records(Buffer.from([1, 0]), [], 21), hello('permitted.example')]),
    ],
    [
      'a record of something else within it',
      Buffer.concat([records(helloMessage().subarray(0, 9)), records(Buffer.from([1]), [], 20)]),
    ],
    ['an empty record', Buffer.concat([Buffer.from([22, 3, 1, 0, 0]), hello('permitted.example')])],
    ['a record that is too long', Buffer.from([22, 3, 1, 0x40, 1])],
    ['a message that is no hello', records(Buffer.from([2, 0, 0, 1, 0]))],
    ['a length that says less than there is', records(lengthened(helloMessage([serverNames([0, 'a'])]), -1))],
    ['no end', Buffer.concat([Buffer.from([22, 3, 1, 0x40, 0, 1, 0, 0x3f, 0xff]), Buffer.alloc(helloLimit - 9)])],
  ])('with %s is malformed', (_, bytes) => expect(readClientHello(bytes)).toBe('malformed'))

  it('is nothing that other protocols begin with', () => {
    for (const text of [
      'SSH-2.0-OpenSSH_9.2\r\n',
      'GET / HTTP/1.1\r\n',
      '\x00\x00\x00\x08',
      '\x10\x1a\x00\x04MQTT',
      '\x05\x01\x00',
      '\x16\x04\x01',
    ]) {
      expect(readClientHello(Buffer.from(text, 'latin1'))).toBe('not-tls')
    }
    for (const start of [[], [22], [22, 3], [20], [23]])
      expect(readClientHello(Buffer.from(start))).toBe(start[0] === 20 || start[0] === 23 ? 'malformed' : 'incomplete')
  })

  it('has at most 16 KiB with the headers of its records', () => {
    expect(helloLimit).toBe(16_384)
    const begun = (length: number) => Buffer.concat([Buffer.from([22, 3, 1, 0x40, 0, 1]), Buffer.alloc(length - 6)])
    expect(readClientHello(begun(16_383))).toBe('incomplete')
    expect(readClientHello(begun(16_384))).toBe('malformed')
  })

  it.each([
    [19, 'not-tls'],
    [20, 'malformed'],
    [24, 'malformed'],
    [25, 'not-tls'],
  ])('of a first byte %i is %s', (type, is) => expect(readClientHello(Buffer.from([type, 3]))).toBe(is))

  /** A hello of these parts, with lengths before them that fit. */
  const made = (session: number, suites: number, compressions: number) =>
    records(
      message([
        Buffer.alloc(34, 3),
        Buffer.from([session]),
        Buffer.alloc(session),
        Buffer.from([0, suites]),
        Buffer.alloc(suites),
        Buffer.from([compressions]),
        Buffer.alloc(compressions),
      ]),
    )
  it.each([
    [0, 2, 1, { serverName: null }],
    [32, 4, 2, { serverName: null }],
    [33, 2, 1, 'malformed'],
    [0, 0, 1, 'malformed'],
    [0, 1, 1, 'malformed'],
    [0, 3, 1, 'malformed'],
    [0, 2, 0, 'malformed'],
  ])('with %i bytes of session, %i of suites and %i of compressions is %j', (session, suites, compressions, is) =>
    expect(readClientHello(made(session, suites, compressions))).toEqual(is),
  )

  it('without a body is malformed, in one record or in four', () => {
    for (const cuts of [[], [1, 1, 1], [3]]) expect(readClientHello(records(message([]), cuts))).toBe('malformed')
  })

  it('may come in a record of 16 KiB, and of no more', () => {
    expect(readClientHello(Buffer.from([22, 3, 1, 0x40, 0]))).toBe('incomplete')
    expect(readClientHello(Buffer.from([22, 3, 1, 0x40, 1]))).toBe('malformed')
  })

  it('that is garbage is never an error', () => {
    const whole = hello('permitted.example')
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((it) => Buffer.from(it)),
      fc.uint8Array({ maxLength: 200 }).map((it) => records(Buffer.from([1, 0, 0, it.length, ...it]))),
      fc
        .tuple(fc.nat(whole.length - 1), fc.nat(255))
        .map(([at, value]) => Buffer.from(whole.map((it, index) => (index === at ? value : it)))),
    )
    const answers = fc.property(garbage, (bytes) => {
      const out = readClientHello(bytes)
      expect(typeof out === 'string' ? out : Object.keys(out)[0]).toMatch(/^(not-tls|incomplete|malformed|serverName)$/)
    })
    fc.assert(answers, { numRuns: 5000 })
  })

  it('is never taken for another than the one that a TLS server sees', async () => {
    const message = (await realHello('permitted.example')).subarray(5)
    const cuts = fc.array(fc.integer({ min: 1, max: message.length }), { maxLength: 2 })
    const places = fc.oneof(fc.nat(message.length - 1), fc.integer({ min: -9, max: 20 }))
    const changes = fc.array(fc.tuple(places, fc.nat(255)), { minLength: 1, maxLength: 3 })
    let understood = 0
    await fc.assert(
      fc.asyncProperty(cuts, changes, async (sizes, values) => {
        const bytes = records(message, sizes)
        const name = bytes.indexOf('permitted') // its length and type stand before it, and are worth changing
        for (const [at, value] of values) bytes[at < 30 && name > 0 ? name + at : Math.max(at, 0)] = value
        const seen = await seenByServer(bytes)
        if (seen === null) return
        understood++
        const ours = readClientHello(bytes)
        if (ours !== 'malformed') expect(ours).toEqual({ serverName: seen })
      }),
      { numRuns: 400 },
    )
    expect(understood).toBeGreaterThan(100)
  })
})

const message = (parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([1, 0, 0, body.length]), body])
}

/** A message whose header says that it is longer by so much. */
function lengthened(message: Buffer, by: number): Buffer {
  const out = Buffer.from(message)
  out.writeUIntBE(message.length - 4 + by, 1, 3)
  return out
}

/** The name that OpenSSL finds in a hello; null when it finds none, or refuses the hello before. */
function seenByServer(bytes: Buffer): Promise<string | null> {
  return new Promise((resolve) => {
    const wire = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
    const options = {
      isServer: true,
      secureContext: createSecureContext(),
      SNICallback: (name: string) => resolve(name),
    }
    const server = new TLSSocket(wire, options as ConstructorParameters<typeof TLSSocket>[1])
    server.on('error', () => resolve(null)).on('end', () => resolve(null))
    wire.push(bytes)
    wire.push(null)
  })
}
