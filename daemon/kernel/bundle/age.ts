import { Decrypter, Encrypter } from 'age-encryption'
import { altered, BundleRefused } from './refusal.ts'

/** How a bundle is encrypted: with a passphrase, for the holder of a key (`age1…`), or not at all. */
export type Locking =
  | { kind: 'passphrase'; passphrase: string }
  | { kind: 'recipient'; recipient: string }
  | { kind: 'none' }

/** What opens a bundle: its passphrase, or the identity (`AGE-SECRET-KEY-1…`) of its recipient. */
export interface Opening {
  passphrase?: string | undefined
  identity?: string | undefined
}

/** 64 MiB and a second for each guess. */
const scryptWork = 16

/** Encrypts a stream as age does. */
export async function locked(source: AsyncIterable<Uint8Array>, how: Locking): Promise<AsyncIterable<Uint8Array>> {
  if (how.kind === 'none') return source
  const encrypter = new Encrypter()
  if (how.kind === 'recipient') encrypter.addRecipient(how.recipient)
  else {
    encrypter.setScryptWorkFactor(scryptWork)
    encrypter.setPassphrase(how.passphrase)
  }
  return encrypter.encrypt(ReadableStream.from(source) as ReadableStream<Uint8Array>)
}

/** Decrypts a stream that `locked`, or age, made. */
export async function opened(source: AsyncIterable<Uint8Array>, { passphrase, identity }: Opening) {
  const decrypter = new Decrypter()
  try {
    if (passphrase !== undefined) decrypter.addPassphrase(passphrase)
    if (identity !== undefined) for (const key of identitiesIn(identity)) decrypter.addIdentity(key)
  } catch {
    throw new BundleRefused('secret_wrong', 'The identity is not one of age: it begins with AGE-SECRET-KEY-1')
  }
  try {
    return whole(await decrypter.decrypt(ReadableStream.from(source) as ReadableStream<Uint8Array>))
  } catch (error) {
    if (error instanceof BundleRefused) throw error
    const given = passphrase === undefined ? 'The identity' : 'The passphrase'
    throw new BundleRefused('secret_wrong', `${given} does not open this bundle`)
  }
}

/** Each chunk is authenticated, and so is that it is the last one. */
async function* whole(plain: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* plain
  } catch (error) {
    throw error instanceof BundleRefused ? error : altered(`it does not decrypt (${(error as Error).message})`)
  }
}

/** The keys in an identity file of age, whose other lines are comments. */
const identitiesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith('#'))

/** Whether age can encrypt for this. */
export function isRecipient(text: string): boolean {
  try {
    new Encrypter().addRecipient(text)
    return true
  } catch {
    return false
  }
}
