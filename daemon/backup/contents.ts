import { isDeepStrictEqual } from 'node:util'
import { type Opening, opened } from '#kernel/bundle/age'
import { withPayload } from '#kernel/bundle/envelope'
import { coreOf, type Manifest } from '#kernel/bundle/manifest'
import { hostile, type Packed, type Receiver, unpackMembers } from '#kernel/bundle/members'
import { altered, BundleRefused } from '#kernel/bundle/refusal'
import { decompressed } from '#kernel/bundle/zstd'

/** Reads all of a bundle, and hands its members over once its inner manifest is the one that it shows. */
export async function readContents(path: string, opening: Opening, receive: Receiver): Promise<Packed> {
  return withPayload(path, async (manifest, payload) => {
    let known = false
    return unpackMembers(decompressed(await plainOf(manifest, payload, opening)), async (head, content) => {
      if (known) return receive(head, content)
      if (head.name !== 'backup.json' || (head.size ?? 0) > 64 * 1024 * 1024) throw hostile('it does not begin as one')
      const chunks: Buffer[] = []
      for await (const chunk of content) chunks.push(chunk)
      const inner = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      if (!isDeepStrictEqual(inner, JSON.parse(JSON.stringify(coreOf(manifest)))))
        throw altered('its manifest is not the one that it was made with')
      known = true
    })
  })
}

async function plainOf(
  { encryption }: Manifest,
  payload: AsyncIterable<Buffer>,
  opening: Opening,
): Promise<AsyncIterable<Uint8Array>> {
  if (!encryption.enabled) return payload
  if (opening.passphrase === undefined && opening.identity === undefined)
    throw new BundleRefused(
      'secret_needed',
      encryption.recipients
        ? `The bundle is encrypted for ${encryption.recipients.join(', ')}: give the identity of that key`
        : 'The bundle is encrypted: give its passphrase',
    )
  return opened(payload, opening)
}
