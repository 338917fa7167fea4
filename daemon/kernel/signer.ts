import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { type Envelope, keyIdOf, sealStatement } from '#client/dsse'
import { ConfigError } from './config.ts'
import { fileMadeOnce } from './store/data-dir.ts'

/** File of a data folder with the private key of receipts, in PEM. */
export const receiptKeyFile = 'receipts.key'

/** Signs receipts in the name of the server. */
export interface Signer {
  readonly keyid: string
  /** PEM */
  readonly publicKey: string
  sign(statement: object): Envelope
}

/** A signer with a key that nobody keeps. */
export const newSigner = (): Signer => signerOf(generateKeyPairSync('ed25519').privateKey)

/** The signer of a data folder, whose key is made on first use. A file that holds no such key is refused. */
export function openSigner(dir: string): Signer {
  const pem = fileMadeOnce(dir, receiptKeyFile, () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  )
  return signerOf(privateKeyOf(pem, join(dir, receiptKeyFile)))
}

function privateKeyOf(pem: string, path: string): KeyObject {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // What the library says may cite the key.
  }
  throw new ConfigError(
    `${path} holds no Ed25519 private key in PEM: take it from a backup, or move it away and a new one is made`,
  )
}

function signerOf(key: KeyObject): Signer {
  const publicKey = createPublicKey(key)
  return {
    keyid: keyIdOf(publicKey),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: (statement) => sealStatement(key, Buffer.from(JSON.stringify(statement))),
  }
}
