import { problem } from '#kernel/problem'

const refuse = (detail: string) => problem('invalid_field', { field: 'file', detail: `The file's name ${detail}` })

/** A name that is one on every file system: no way out of its folder, no more than 255 bytes. */
export function nameOf(given: string | undefined): string {
  const name = (given ?? '').normalize('NFC').trim()
  if (name === '' || name === '.' || name === '..') throw refuse('is missing')
  if (/[/\\\p{Cc}]/u.test(name)) throw refuse('must not have slashes or control characters')
  if (Buffer.byteLength(name) > 255) throw refuse('has at most 255 bytes')
  return name
}

/** The media type, if it is one. */
export const typeOf = (given: string | undefined): string =>
  given && given.length <= 127 && /^[\w.+-]+\/[\w.+-]+$/.test(given) ? given.toLowerCase() : 'application/octet-stream'

/** Folder of an attachment below the agent's own. */
export const folderOf = ({ chat_id, id }: { chat_id: string; id: string }): string => `attachments/${chat_id}/${id}`
