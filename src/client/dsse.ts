import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

/** What a receipt's payload is: an in-toto statement. */
export const statementType = 'application/vnd.in-toto+json'

/** A signed payload: a DSSE envelope. `payload` and `sig` are base64. */
export interface Envelope {
  payload: string
  payloadType: string
  signatures: { keyid: string; sig: string }[]
}

/** The bytes that are signed: the payload's type and the payload, each with its length in bytes. */
export function preAuthEncoding(payloadType: string, payload: Buffer): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `
  return Buffer.concat([Buffer.from(head), payload])
}

/** The name of a public key: the SHA-256 of its SubjectPublicKeyInfo, in hexadecimal. */
export const keyIdOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')

/** Signs a statement with an Ed25519 private key. The signature is over the very bytes that are in the envelope. */
export function sealStatement(key: KeyObject, payload: Buffer): Envelope {
  const sig = sign(null, preAuthEncoding(statementType, payload), key)
  return {
    payload: payload.toString('base64'),
    payloadType: statementType,
    signatures: [{ keyid: keyIdOf(createPublicKey(key)), sig: sig.toString('base64') }],
  }
}

/** Why an envelope is not to be believed. */
export class Disbelieved extends Error {}

/** The Ed25519 public key of a PEM text. Throws `Disbelieved` for anything else, a private key included. */
export function publicKeyOf(pem: string): KeyObject {
  if (!/^-----BEGIN PUBLIC KEY-----\r?\n[^-]*-----END PUBLIC KEY-----\s*$/.test(pem.trimStart()))
    throw new Disbelieved('The key is not one public key in PEM')
  try {
    const key = createPublicKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    throw new Disbelieved('The key cannot be read as a public key')
  }
  throw new Disbelieved('The key is not an Ed25519 key')
}

/** The payload of an envelope with one signature of this key. Throws `Disbelieved`, saying why. */
export function openStatement(envelope: unknown, key: KeyObject): Buffer {
  const { payload, payloadType, signatures } = envelopeOf(envelope)
  if (payloadType !== statementType)
    throw new Disbelieved(`The payload is of the type ${JSON.stringify(payloadType)}, not ${statementType}`)
  const [signature] = signatures
  if (!signature || signatures.length > 1)
    throw new Disbelieved(`There are ${signatures.length} signatures; a receipt has one`)
  const wanted = keyIdOf(key)
  if (signature.keyid !== wanted)
    throw new Disbelieved(`It names the key ${JSON.stringify(signature.keyid)}, and the one given is ${wanted}`)
  const bytes = bytesOf(payload, 'payload')
  if (!verify(null, preAuthEncoding(payloadType, bytes), key, bytesOf(signature.sig, 'sig')))
    throw new Disbelieved('The signature does not hold: the receipt was altered, or another key made it')
  return bytes
}

/** An envelope with these members alone, so that nothing beside them can be taken for signed. */
function envelopeOf(value: unknown): Envelope {
  if (!has(value, ['payload', 'payloadType', 'signatures'])) throw new Disbelieved('This is no envelope of a receipt')
  const { payload, payloadType, signatures } = value
  if (typeof payload !== 'string' || typeof payloadType !== 'string' || !Array.isArray(signatures))
    throw new Disbelieved('This is no envelope of a receipt')
  const isSignature = (it: unknown) =>
    has(it, ['keyid', 'sig']) && typeof it['keyid'] === 'string' && typeof it['sig'] === 'string'
  if (!signatures.every(isSignature)) throw new Disbelieved('A signature has members other than keyid and sig')
  return { payload, payloadType, signatures }
}

function has(value: unknown, names: readonly string[]): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.keys(value).sort().join() === [...names].sort().join()
}

/** Base64 in either of its alphabets, with nothing in it that the bytes do not tell. */
function bytesOf(text: string, name: string): Buffer {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/')
  const bytes = Buffer.from(standard, 'base64')
  if (bytes.toString('base64') !== standard) throw new Disbelieved(`The member ${name} is not base64`)
  return bytes
}
