import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import type { DeviceRoom } from '../disk/room.ts'
import { RuntimeError } from '../errors.ts'
import type { ChannelRequest } from '../spool/channel.ts'
import { type Frame, frameReader, frameTypes } from '../spool/frames.ts'
import type { FileEntry } from '../types.ts'
import { type Attachment, attach } from './attach.ts'
import type { Container } from './engine.ts'

const helloMs = 20_000
/** Bytes received before an acknowledgement is sent. */
const acknowledgeBytes = 512 * 1024

interface Asked {
  data(chunk: Buffer): void
  done(answer: unknown): void
  failed(error: Error): void
}

export interface ChannelFollow {
  data(chunk: Buffer): void
  done(answer: { record: string | null; stderr: string }): void
  /** The channel is gone, or could not follow. */
  failed(error: Error): void
}

type Unnumbered = ChannelRequest extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never

/** The daemon's end of a crew's resident channel program. */
export interface ChannelClient {
  readonly closed: boolean
  follow(dir: string, offset: number, to: ChannelFollow): () => void
  list(root: string, path: string, recursive: boolean): Promise<FileEntry[]>
  read(root: string, path: string): Promise<Buffer | null>
  /** Whether a user has no process in the crew. */
  gone(uid: number): Promise<boolean>
  room(path: string): Promise<DeviceRoom>
  /** Closes the channel; pending requests fail with the reason. */
  close(reason?: string): void
}

/** Attaches and waits until the channel program has answered. */
export async function openChannel(container: Container): Promise<ChannelClient> {
  const nonce = randomBytes(24).toString('base64url')
  const asked = new Map<number, Asked>()
  let attachment: Attachment | null = null
  let closed = false
  let last = 0
  let greeted = (_error?: Error) => {}

  function end(reason: string): void {
    if (closed) return
    closed = true
    attachment?.close()
    const error = new RuntimeError('not_running', `The channel to the crew failed: ${reason}`)
    greeted(error)
    for (const it of asked.values()) it.failed(error)
    asked.clear()
  }

  function receive({ type, request, payload }: Frame): void {
    if (type === frameTypes.hello) {
      if (payload.toString() === nonce) greeted()
      else end('another daemon has taken it over')
      return
    }
    const it = asked.get(request)
    if (!it) return
    if (type === frameTypes.data) {
      it.data(payload)
      return
    }
    asked.delete(request)
    const answer: unknown = JSON.parse(payload.toString('utf8'))
    if (type === frameTypes.done) it.done(answer)
    else it.failed(new RuntimeError('refused', (answer as { message: string }).message))
  }

  const write = (request: ChannelRequest) => attachment?.write(`${JSON.stringify(request)}\n`)

  function ask(request: Unnumbered, answer: Asked): number {
    const id = ++last
    if (closed) {
      answer.failed(new RuntimeError('not_running', 'The channel to the crew is closed'))
      return id
    }
    asked.set(id, answer)
    write({ ...request, id } as ChannelRequest)
    return id
  }

  const once = <T>(request: Unnumbered): Promise<{ answer: T; content: Buffer }> => {
    const chunks: Buffer[] = []
    return new Promise((resolve, reject) => {
      ask(request, {
        data: (chunk) => chunks.push(Buffer.from(chunk)),
        done: (answer) => resolve({ answer: answer as T, content: Buffer.concat(chunks) }),
        failed: reject,
      })
    })
  }

  attachment = await attach(container, { stdout: frameReader(nonce, receive), closed: end })
  const greeting = new Promise<void>((resolve, reject) => {
    greeted = (error) => (error ? reject(error) : resolve())
  })
  // Ends a partial line that an earlier daemon may have left.
  attachment.write('\n')
  write({ op: 'hello', nonce })
  const patience = setTimeout(() => end(`no answer within ${helloMs / 1000} s`), helloMs)
  await greeting.finally(() => clearTimeout(patience))

  return {
    get closed() {
      return closed
    },
    follow(dir, offset, to) {
      let unacknowledged = 0
      const id = ask(
        { op: 'follow', dir, offset },
        {
          data(chunk) {
            to.data(chunk)
            unacknowledged += chunk.length
            if (unacknowledged < acknowledgeBytes) return
            write({ op: 'ack', id, bytes: unacknowledged })
            unacknowledged = 0
          },
          done: (answer) => to.done(answer as { record: string | null; stderr: string }),
          failed: to.failed,
        },
      )
      return () => {
        if (asked.delete(id) && !closed) write({ op: 'unfollow', id })
      }
    },
    list: async (root, path, recursive) => (await once<FileEntry[]>({ op: 'list', root, path, recursive })).answer,
    async read(root, path) {
      const { answer, content } = await once<{ found: boolean }>({ op: 'read', root, path })
      return answer.found ? content : null
    },
    gone: async (uid) => (await once<boolean>({ op: 'gone', uid })).answer,
    room: async (path) => (await once<DeviceRoom>({ op: 'room', path })).answer,
    close: (reason = 'it was closed') => end(reason),
  }
}
