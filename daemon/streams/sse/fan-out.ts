import { Chunk, type EventStream, pressureLimit } from '../sse.ts'

/** Events that are written together; `seq` is that of the newest. */
interface Batch {
  seq: number
  chunk: Chunk
}

/** One client of a group. */
export interface Follower {
  stream: EventStream | null
  /** Newest event that was written to it. */
  seq: number
  /** Batches buffered until it is released; null afterwards. */
  held: Batch[] | null
  /** Called when it reads too slowly and was removed from its group. */
  behind(): void
}

/** Clients that get the same events. */
export interface Group {
  followers: Set<Follower>
  texts: string[]
  seq: number
}

export const newGroup = (): Group => ({ followers: new Set(), texts: [], seq: 0 })

export interface FanOut {
  /** Sends an event to the group's current followers. */
  push(group: Group, text: string, seq: number): void
  /** Adds a follower, for which events are buffered until `release`. */
  join(group: Group, follower: Follower): void
  /** Writes the buffered events and continues live. False when too many were buffered and the follower was removed. */
  release(group: Group, follower: Follower): boolean
  leave(group: Group, follower: Follower): void
}

/** Writes to sockets before the event loop continues. */
const slice = 250
/** Number of clients for each millisecond of delay, and the longest delay. */
const clientsPerMs = 40
const longestTick = 100

/**
 * Sends events to many clients, encoding each batch once. With few clients a batch is sent at once; with many, events
 * within a few milliseconds share one write to each client, since writes are what costs most.
 */
export function createFanOut(): FanOut {
  const fresh = new Set<Group>()
  const queue: { batch: Batch; group: Group; followers: Follower[] }[] = []
  let count = 0
  let flushed = 0
  let scheduled = false
  let delivering = false

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    const tick = Math.min(longestTick, Math.floor(count / clientsPerMs))
    const wait = flushed + tick - performance.now()
    if (wait > 0) setTimeout(flush, wait)
    else setImmediate(flush)
  }

  function flush(): void {
    scheduled = false
    flushed = performance.now()
    for (const group of fresh) cut(group)
    if (!delivering) deliver()
  }

  /** Closes the current batch of a group, so that later followers do not get it. */
  function cut(group: Group): void {
    fresh.delete(group)
    if (group.texts.length === 0) return
    queue.push({
      batch: { seq: group.seq, chunk: new Chunk(group.texts.join('')) },
      group,
      followers: [...group.followers],
    })
    group.texts = []
  }

  function deliver(): void {
    let left = slice
    for (let next = queue[0]; next; next = queue[0]) {
      for (let follower = next.followers.pop(); follower; follower = next.followers.pop()) {
        give(next.group, follower, next.batch)
        if (--left > 0) continue
        delivering = true
        setImmediate(deliver)
        return
      }
      queue.shift()
    }
    delivering = false
  }

  function give(group: Group, follower: Follower, batch: Batch): void {
    if (!group.followers.has(follower) || batch.seq <= follower.seq) return
    if (follower.held) keep(group, follower, batch)
    else if (follower.stream?.pressed()) {
      leave(group, follower)
      follower.behind()
    } else {
      follower.stream?.write(batch.chunk)
      follower.seq = batch.seq
    }
  }

  function keep(group: Group, follower: Follower, batch: Batch): void {
    follower.held!.push(batch)
    const bytes = follower.held!.reduce((sum, { chunk }) => sum + chunk.bytes, 0)
    if (bytes > pressureLimit) leave(group, follower)
  }

  function leave(group: Group, follower: Follower): void {
    if (group.followers.delete(follower)) count--
  }

  return {
    push(group, text, seq) {
      group.texts.push(text)
      group.seq = seq
      fresh.add(group)
      schedule()
    },
    join(group, follower) {
      cut(group)
      follower.held = []
      if (!group.followers.has(follower)) count++
      group.followers.add(follower)
      if (queue.length) schedule()
    },
    release(group, follower) {
      if (!group.followers.has(follower)) return false
      const kept = follower.held ?? []
      follower.held = null
      for (const batch of kept) give(group, follower, batch)
      return true
    },
    leave,
  }
}
