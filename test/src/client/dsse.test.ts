import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Disbelieved, keyIdOf, openStatement, preAuthEncoding, publicKeyOf, sealStatement } from '#client/dsse'

// Made with openssl: genpkey -algorithm ed25519; pkeyutl -sign -rawin over the bytes; sha256sum of the DER.
const secret = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJCHr6TWBmPZiUir52D4UKMP6zm/HqxyUGJ3khFM7WtI
-----END PRIVATE KEY-----
`
const pem = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAs0LfpTqnsmmAvwHiwdZiiCAoo8SQ0pFL/rsa6teu1AE=
-----END PUBLIC KEY-----
`
const keyid = 'dd422a9f4986e07d7fb06c491fe81ed5a3b5797260bead7d6992d618afa60b51'
const sig = 'xzqeYUGdpvC8oaiS0LcshblOnYQNpYzJFzlDbLm2+U5m32xZQZBEdbWozza7Bp5rOOje/td5DTQcftp0irPCDQ=='
const statement = Buffer.from('{"_type":"https://in-toto.io/Statement/v1","note":"hä €"}')
const made = {
  payload: 'eyJfdHlwZSI6Imh0dHBzOi8vaW4tdG90by5pby9TdGF0ZW1lbnQvdjEiLCJub3RlIjoiaMOkIOKCrCJ9',
  payloadType: 'application/vnd.in-toto+json',
  signatures: [{ keyid, sig }],
}
const key = publicKeyOf(pem)
const open = (envelope: unknown) => () => openStatement(envelope, key)

it('encodes the type and the payload with their lengths in bytes', () => {
  expect(preAuthEncoding('http://example.com/HelloWorld', Buffer.from('hello world')).toString()).toBe(
    'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
  )
  expect(preAuthEncoding('ä', Buffer.from('€')).toString()).toBe('DSSEv1 2 ä 3 €')
  expect(preAuthEncoding('', Buffer.alloc(0)).toString()).toBe('DSSEv1 0  0 ')
})

it('signs as another tool does, and names the key as that does', () => {
  expect(sealStatement(createPrivateKey(secret), statement)).toEqual(made)
  expect(keyIdOf(key)).toBe(keyid)
})

it('opens what another tool signed', () => {
  expect(openStatement(made, key)).toEqual(statement)
  const urlSafe = { ...made, signatures: [{ keyid, sig: sig.replaceAll('+', '-').replaceAll('/', '_') }] }
  expect(openStatement(urlSafe, key)).toEqual(statement)
})

describe('does not believe', () => {
  it('a payload, a type or a signature of which any byte is another one', () => {
    const flip = (text: string, at: number) => {
      const bytes = Buffer.from(text, 'base64')
      bytes[at]! ^= 1
      return bytes.toString('base64')
    }
    for (let at = 0; at < statement.length; at++)
      expect(open({ ...made, payload: flip(made.payload, at) })).toThrow('The signature does not hold')
    for (let at = 0; at < 64; at++)
      expect(open({ ...made, signatures: [{ keyid, sig: flip(sig, at) }] })).toThrow('The signature does not hold')
    expect(open({ ...made, payloadType: 'application/vnd.in-toto+jsoN' })).toThrow('The payload is of the type')
    expect(open({ ...made, signatures: [{ keyid: keyid.replace('d', 'e'), sig }] })).toThrow('It names the key')
    expect(open({ ...made, signatures: [{ keyid: '', sig }] })).toThrow('It names the key')
  })

  it.each([
    ['another base64 of the same bytes', { ...made, signatures: [{ keyid, sig: `${sig}\n` }] }, 'not base64'],
    ['a signature without its end', { ...made, signatures: [{ keyid, sig: sig.slice(0, 40) }] }, 'does not hold'],
    ['no signature', { ...made, signatures: [] }, 'There are 0 signatures'],
    ['two signatures', { ...made, signatures: [made.signatures[0], made.signatures[0]] }, 'There are 2 signatures'],
    ['several envelopes', [made, made], 'no envelope'],
    ['several payloads', { ...made, payload: [made.payload, made.payload] }, 'no envelope'],
    ['a member beside those that are signed', { ...made, note: 'x' }, 'no envelope'],
    ['a member beside a signature', { ...made, signatures: [{ keyid, sig, by: 'x' }] }, 'A signature has members'],
    ['nothing', null, 'no envelope'],
    ['a text', 'receipt', 'no envelope'],
  ])('%s', (_, envelope, why) => {
    expect(open(envelope)).toThrow(Disbelieved)
    expect(open(envelope)).toThrow(why)
  })
})

const pemOf = (it: ReturnType<typeof generateKeyPairSync>['publicKey']) =>
  (it as unknown as { export(how: object): string }).export({ type: 'spki', format: 'pem' })

it.each([
  ['a private key', secret],
  ['two keys', `${pem}${pem}`],
  ['a key of another kind', pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey as never)],
  ['no key', 'x'],
  ['a damaged key', pem.replace('MCow', 'MCox')],
])('takes %s for no public key', (_, text) => expect(() => publicKeyOf(text)).toThrow(Disbelieved))
