import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts secrets at rest: AES-256-GCM, `v<n>:base64(iv|tag|ciphertext)`, bound to the row that holds them. */
export interface Vault {
  /** `row` identifies the row, such as `credentials:<id>`: a value that was moved to another row does not open. */
  seal(plaintext: string, row: string): string
  /** Throws when the value was changed or belongs to another row or key. */
  open(sealed: string, row: string): string
  /** Derives a key for a `purpose` such as `ws-token`; the same after every start. 32 bytes unless `bytes` is given. */
  derive(purpose: string, bytes?: number): Buffer
}

const version = 'v1'

/** `key` is 32 bytes. */
export function createVault(key: Buffer): Vault {
  if (key.length !== 32) throw new Error('The encryption key must be 32 bytes (64 hexadecimal characters)')
  return {
    seal(plaintext, row) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(row))
      const text = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return `${version}:${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64')}`
    },
    open(sealed, row) {
      const [kind, body] = sealed.split(':')
      if (kind !== version || !body) throw new Error('Sealed by an unknown key version')
      const bytes = Buffer.from(body, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
      decipher.setAAD(Buffer.from(row)).setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
    derive: (purpose, bytes = 32) => Buffer.from(hkdfSync('sha256', key, '', `muster/${purpose}`, bytes)),
  }
}
