/**
 * The resident program of a crew container: follows spools and reads agents' output for the daemon over its standard
 * streams. Requests are lines of JSON, answers are frames. A hello comes from a new daemon and cancels all earlier
 * requests.
 */
import { Buffer } from 'node:buffer'
import { writev } from 'node:fs'
import { createInterface } from 'node:readline'
import { roomAt } from '../disk/room.ts'
import { listInside, readInside } from './files.ts'
import { type Following, followSpool } from './follower.ts'
import { type FrameType, frameHead, frameTypes } from './frames.ts'
import { areGone } from './processes.ts'

export type ChannelRequest =
  | { op: 'hello'; nonce: string }
  | { op: 'follow'; id: number; dir: string; offset: number }
  | { op: 'ack'; id: number; bytes: number }
  | { op: 'unfollow'; id: number }
  | { op: 'list'; id: number; root: string; path: string; recursive: boolean }
  | { op: 'read'; id: number; root: string; path: string }
  | { op: 'gone'; id: number; uid: number }
  | { op: 'room'; id: number; path: string }

/** Most unacknowledged bytes of one follow, so that a daemon that is gone is not sent more. */
const windowBytes = 4 * 1024 * 1024
const frameBytes = 256 * 1024
/** How long the last processes of a run, including its supervisor, may take to exit. */
const exitMs = 300

interface Served {
  following: Following
  sent: number
  acknowledged: number
  resume: (() => void) | null
}

const follows = new Map<number, Served>()
let tail: Promise<void> = Promise.resolve()

/** Sends whole frames in sequence, since the pipe takes less than a frame at a time. */
function send(type: FrameType, request: number, payload: Buffer): Promise<void> {
  const written = tail.then(() => writeAll([frameHead(type, request, payload.length), payload]))
  tail = written
  return written
}

function writeAll(parts: Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    writev(1, parts, (error, count) => {
      if (error) reject(error)
      else if (count === length) resolve()
      else writeAll([Buffer.concat(parts).subarray(count)]).then(resolve, reject)
    })
  })
}

const sendJson = (type: FrameType, request: number, value: unknown): Promise<void> =>
  send(type, request, Buffer.from(JSON.stringify(value)))

function stop(id: number): void {
  const served = follows.get(id)
  follows.delete(id)
  served?.following.close()
  served?.resume?.()
}

function follow(id: number, dir: string, offset: number): void {
  const served: Served = { following: { close() {} }, sent: 0, acknowledged: 0, resume: null }
  follows.set(id, served)
  served.following = followSpool(dir, offset, {
    async data(chunk) {
      if (!follows.has(id)) return
      served.sent += chunk.length
      await send(frameTypes.data, id, chunk)
      while (served.sent - served.acknowledged > windowBytes && follows.has(id)) {
        await new Promise<void>((resolve) => {
          served.resume = resolve
        })
      }
    },
    ended(record, stderr) {
      if (follows.delete(id)) void sendJson(frameTypes.done, id, { record, stderr })
    },
    failed(error) {
      if (follows.delete(id)) void sendJson(frameTypes.failed, id, { message: error.message })
    },
  })
}

async function sendFile(id: number, root: string, path: string): Promise<void> {
  const content = readInside(root, path)
  for (let at = 0; content && at < content.length; at += frameBytes)
    await send(frameTypes.data, id, content.subarray(at, at + frameBytes))
  await sendJson(frameTypes.done, id, { found: content !== null })
}

async function answer(request: ChannelRequest): Promise<void> {
  if (request.op === 'hello') {
    for (const id of [...follows.keys()]) stop(id)
    await send(frameTypes.hello, 0, Buffer.from(request.nonce))
  } else if (request.op === 'follow') {
    follow(request.id, request.dir, request.offset)
  } else if (request.op === 'ack') {
    const served = follows.get(request.id)
    if (served) served.acknowledged += request.bytes
    served?.resume?.()
  } else if (request.op === 'unfollow') {
    stop(request.id)
  } else if (request.op === 'list') {
    await sendJson(frameTypes.done, request.id, listInside(request.root, request.path, request.recursive))
  } else if (request.op === 'read') {
    await sendFile(request.id, request.root, request.path)
  } else if (request.op === 'gone') {
    await sendJson(frameTypes.done, request.id, await areGone(request.uid, exitMs))
  } else if (request.op === 'room') {
    await sendJson(frameTypes.done, request.id, roomAt(request.path))
  }
}

/** A request; null for anything else, such as a partial line of a daemon that died. */
function parse(line: string): ChannelRequest | null {
  try {
    return JSON.parse(line) as ChannelRequest
  } catch {
    return null
  }
}

createInterface({ input: process.stdin, terminal: false }).on('line', (line) => {
  const request = parse(line)
  if (!request) return
  answer(request).catch((error: Error) => {
    if ('id' in request) void sendJson(frameTypes.failed, request.id, { message: error.message })
  })
})
process.on('SIGTERM', () => process.exit(0))
