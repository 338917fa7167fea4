import type { App } from '#kernel/app'
import { OutboundError, type OutboundReply } from '#kernel/outbound/outbound'
import { type GitObject, unpack } from './pack.ts'
import { BadRepository, delimiter, flush, lineOf, packet, packetsOf } from './packets.ts'

/** Bytes of a pack. */
const mostPackBytes = 32 * 1024 * 1024
const mostRefBytes = 4 * 1024 * 1024

const service = 'git-upload-pack'
const version = { 'git-protocol': 'version=2' }

/** A repository on another server, as it is at one commit. */
export interface Remote {
  commit: string
  /** Commit and trees; files too where the server does not leave them out. */
  shallow(): Promise<Map<string, GitObject>>
  /** These files. */
  blobs(ids: readonly string[]): Promise<Map<string, GitObject>>
}

interface Opening {
  url: string
  /** A branch, a tag or a commit; what the server takes for its main branch when empty. */
  ref: string
  signal: AbortSignal
}

/** Opens a repository by version 2 of git's protocol over HTTPS. No program is started, and no file is written. */
export async function openRemote(app: App, { url, ref, signal }: Opening): Promise<Remote> {
  const given = `${url.replace(/\/+$/, '')}/info/refs?service=${service}`
  const told = await answered(mostRefBytes, () =>
    app.outbound.send(given, { headers: version, redirects: 5, timeoutMs: patience, maxBytes: mostRefBytes, signal }),
  )
  const { filters, base } = capabilities(told)
  // What the repository moved to answers itself: a redirect of a POST is not followed.
  const ask = (body: string, maxBytes: number) =>
    answered(maxBytes, () =>
      app.outbound.send(`${base}/${service}`, {
        method: 'POST',
        headers: {
          ...version,
          'content-type': `application/x-${service}-request`,
          accept: `application/x-${service}-result`,
        },
        body,
        timeoutMs: patience,
        maxBytes,
        signal,
      }),
    )
  const fetch = async (lines: readonly string[]) => {
    const orders = ['no-progress', 'ofs-delta', ...lines, 'done'].map(packet).join('')
    const { bytes } = await ask(`${packet('command=fetch')}${delimiter}${orders}${flush}`, mostPackBytes)
    return unpack(packIn(bytes))
  }
  const commit = await commitOf(ask, ref)
  return {
    commit,
    shallow: () => fetch(['deepen 1', ...(filters ? ['filter blob:none'] : []), `want ${commit}`]),
    blobs: (ids) => fetch(ids.map((id) => `want ${id}`)),
  }
}

/** Milliseconds for one answer; all together have as many. */
const patience = 90_000

/** An answer that is one; what went wrong, as far as it may be told. */
async function answered(most: number, send: () => Promise<OutboundReply>): Promise<OutboundReply> {
  const reply = await send().catch((error: unknown) => {
    if (error instanceof OutboundError && error.reason === 'too_large')
      throw new BadRepository(`It sends more than ${most / 1024 / 1024} MiB: name fewer folders`)
    throw error
  })
  const { host } = new URL(reply.url)
  if (reply.status === 401 || reply.status === 403)
    throw new BadRepository(`${host} knows no such repository, or asks for a password: only public ones can be read`)
  if (reply.status !== 200) throw new BadRepository(`${host} answered ${reply.status}`)
  return reply
}

function capabilities({ bytes, url }: OutboundReply): { filters: boolean; base: string } {
  const at = url.indexOf(`/info/refs?service=${service}`)
  const lines = [...packetsOf(bytes)].flatMap((it) => (typeof it === 'string' ? [] : lineOf(it)))
  if (at < 0 || !lines.includes('version 2')) throw new BadRepository("It does not speak version 2 of git's protocol")
  if (lines.some((line) => line.startsWith('object-format=') && line !== 'object-format=sha1'))
    throw new BadRepository('Its objects are not named by SHA-1')
  const fetch = lines.find((line) => line.startsWith('fetch='))
  return { filters: fetch?.slice(6).split(' ').includes('filter') ?? false, base: url.slice(0, at) }
}

async function commitOf(ask: (body: string, most: number) => Promise<OutboundReply>, ref: string): Promise<string> {
  if (/^[0-9a-f]{40}$/.test(ref)) return ref
  const names = ref ? [`refs/heads/${ref}`, `refs/tags/${ref}`, ref] : ['HEAD']
  const asked = ['peel', ...names.map((name) => `ref-prefix ${name}`)].map(packet).join('')
  const { bytes } = await ask(`${packet('command=ls-refs')}${delimiter}${asked}${flush}`, mostRefBytes)
  const known = new Map<string, string>()
  for (const it of packetsOf(bytes)) {
    if (typeof it === 'string') continue
    const [id, name, ...more] = lineOf(it).split(' ')
    if (id && name) known.set(name, more.find((word) => word.startsWith('peeled:'))?.slice(7) ?? id)
  }
  const id = names.map((name) => known.get(name)).find((found) => found !== undefined)
  if (!id) throw new BadRepository(ref ? 'It has no such branch or tag' : 'It is empty')
  if (!/^[0-9a-f]{40}$/.test(id)) throw new BadRepository('It does not answer as git does')
  return id
}

/** The pack within an answer to fetch. */
function packIn(bytes: Buffer): Buffer {
  const pieces: Buffer[] = []
  let within = false
  for (const it of packetsOf(bytes)) {
    if (typeof it === 'string') continue
    const first = it[0]
    if (within && first === 1) pieces.push(it.subarray(1))
    else if ((within && first === 3) || /^ERR /.test(it.toString('latin1', 0, 4)))
      throw new BadRepository('It refuses what it was asked for')
    else if (!within) within = lineOf(it) === 'packfile'
  }
  if (!pieces.length) throw new BadRepository('It sent nothing')
  return Buffer.concat(pieces)
}
