import { type Connection, locate, ProblemError } from '#client'

/** A file as the server has it. */
export interface Fetched {
  content: Buffer
  etag: string
}

const transferMs = 60_000

/** A file of an agent; null when there is none. */
export async function fetchFile(connection: Connection, agentId: string, path: string): Promise<Fetched | null> {
  const { method, path: place } = locate('files.download', { agentId, query: { path } })
  try {
    const { body, headers } = await connection.request(method, place, {
      headers: { accept: '*/*' },
      timeout: transferMs,
    })
    return { content: Buffer.from(body), etag: String(headers['etag'] ?? '') }
  } catch (error) {
    if (error instanceof ProblemError && error.problem.status === 404) return null
    throw error
  }
}

export interface SavedFile {
  status: 'saved' | 'unchanged'
  path: string
}

/** What has to be so for a save: the entity tag of the file, or that there is none. */
export type Condition = { etag: string } | 'absent' | null

export async function sendFile(
  connection: Connection,
  agentId: string,
  path: string,
  content: Buffer,
  condition: Condition,
): Promise<SavedFile> {
  const { method, path: place } = locate('files.save', { agentId, query: { path } })
  const { body } = await connection.request(method, place, {
    body: content,
    timeout: transferMs,
    headers: {
      'content-type': 'application/octet-stream',
      ...(condition === 'absent' && { 'if-none-match': '*' }),
      ...(condition && condition !== 'absent' && { 'if-match': condition.etag }),
    },
  })
  return JSON.parse(String(body)) as SavedFile
}
