import type { Entry } from '#contract/entries'
import type { journal } from '#contract/journal'
import type { App } from '#kernel/app'
import { credentialOf } from '#kernel/auth/authenticator'
import { membership } from '#kernel/auth/membership'
import type { Actor, Call, Web } from '#kernel/feature'
import type { Recorded } from '#kernel/journal/journal'
import { createFanOut, type Follower, type Group, newGroup } from '../../streams/sse/fan-out.ts'
import { Chunk, eventText, openEventStream } from '../../streams/sse.ts'
import { accepts, type Filter, readFilter } from './filter.ts'
import { createPhraseMatcher, type PhraseMatcher } from './phrase.ts'
import { queries } from './queries.ts'
import type { JournalReads } from './reads.ts'

const seedSize = 50
const longestGap = 500
const heartbeatMs = 15_000
const recheckMs = 30_000
const isId = /^j_[0-9a-f]{16}$/

interface Watch extends Group {
  key: string
  workspace: string
  filter: Filter
  clients: number
}

interface Client extends Follower {
  watch: Watch
  credential: string | null
  allowed(): boolean
}

/** Streams new journal entries to any number of clients. docs/rules/journal.md, "Queries". */
export interface Live {
  open(call: Call<typeof journal.stream> & { web: Web }): Promise<void>
}

export function createLive(app: App, reads: JournalReads): Live {
  const fanOut = createFanOut()
  let phrases: PhraseMatcher | undefined
  const watches = new Map<string, Watch>()
  const clients = new Set<Client>()
  const heartbeat = new Chunk(': heartbeat\n\n')

  const textOf = (docs: string[]) => docs.map((doc) => eventText(idOf(doc), 'entry', doc)).join('')

  function publish({ entry, doc, seq }: Recorded): void {
    for (const watch of watches.values()) {
      if (watch.workspace !== entry.workspace_id || !accepts(watch.filter, entry)) continue
      if (watch.filter.phrase && !contains(watch.filter.phrase, entry)) continue
      fanOut.push(watch, eventText(entry.id, 'entry', doc), seq)
    }
  }

  function contains(phrase: string, entry: Entry): boolean {
    phrases ??= createPhraseMatcher()
    return phrases.matches(phrase, entry)
  }

  function watchOf(workspace: string, filter: Filter): Watch {
    const key = JSON.stringify([workspace, filter])
    const known = watches.get(key)
    if (known) return known
    const made = { ...newGroup(), key, workspace, filter, clients: 0 }
    watches.set(key, made)
    return made
  }

  function drop(client: Client): void {
    fanOut.leave(client.watch, client)
    if (!clients.delete(client)) return
    app.metrics.openStreams.dec({ kind: 'sse' })
    if (--client.watch.clients === 0) watches.delete(client.watch.key)
  }

  /** Writes the entries that the client lacks up to `upTo`, oldest first, no faster than it reads. */
  async function fill(client: Client, upTo: number): Promise<void> {
    const { workspace, filter } = client.watch
    for (let width = longestGap; client.seq < upTo && !client.stream!.closed; ) {
      const to = Math.min(upTo, client.seq + width)
      const found = await reads.docs(workspace, filter, { after: client.seq, upTo: to }, longestGap)
      if (found.more) {
        width = Math.max(longestGap, Math.floor(width / 4))
        continue
      }
      if (found.docs.length) client.stream!.write(new Chunk(textOf(found.docs)))
      if (client.stream!.pressed()) await client.stream!.drained()
      client.seq = to
      if (found.docs.length < longestGap / 4) width *= 4
    }
  }

  /** Sends the entries that a slow client missed, from the journal, then continues live. */
  async function catchUp(client: Client): Promise<void> {
    await client.stream!.drained()
    do {
      if (client.stream!.closed) return
      fanOut.join(client.watch, client)
      await fill(client, app.index.head())
    } while (!fanOut.release(client.watch, client))
  }

  function end(client: Client): void {
    client.stream?.end()
    drop(client)
  }

  const guarded = (client: Client) => () =>
    void catchUp(client).catch((error) => {
      app.log.error({ err: error }, 'A journal stream could not catch up')
      end(client)
    })

  function newClient(actor: Actor, filter: Filter): Client {
    const credential = credentialOf(actor)
    const client: Client = {
      watch: watchOf(actor.workspace, filter),
      credential,
      stream: null,
      seq: 0,
      held: null,
      behind: () => guarded(client)(),
      allowed: () =>
        (credential === null || app.auth.holds(credential)) &&
        membership(app.db, actor.workspace, actor.id) !== undefined,
    }
    clients.add(client)
    client.watch.clients++
    app.metrics.openStreams.inc({ kind: 'sse' })
    return client
  }

  app.bus.on('entry', publish)
  const clocks = [
    setInterval(() => {
      for (const { stream, held } of clients) if (!held && !stream!.pressed()) stream!.write(heartbeat)
    }, heartbeatMs),
    setInterval(() => {
      for (const client of clients) if (!client.allowed()) end(client)
    }, recheckMs),
  ]
  for (const clock of clocks) clock.unref()
  app.bus.on('revoked', (id) => {
    for (const client of clients) if (client.credential === id) end(client)
  })
  app.bus.on('access_lost', (workspace) => {
    for (const client of clients) if (client.watch.workspace === workspace && !client.allowed()) end(client)
  })
  app.stopping.signal.addEventListener('abort', () => {
    for (const clock of clocks) clearInterval(clock)
    for (const client of clients) end(client)
  })

  /** The newest entries, or those since the last one that the client saw; at most the newest 500. */
  async function beginning(
    { watch: { workspace, filter } }: Client,
    lastSeen: string | undefined,
    upTo: number,
  ): Promise<string> {
    const after = lastSeen && isId.test(lastSeen) ? (queries(app.db).upTo.get(lastSeen) ?? 0) : undefined
    const { docs, more } = await reads.docs(
      workspace,
      filter,
      { after, upTo },
      after === undefined ? seedSize : longestGap,
    )
    if (after === undefined || !more) return textOf(docs)
    app.log.warn({ workspace, last_event_id: lastSeen }, 'A journal stream missed more entries than it can get again')
    return `: more than ${longestGap} entries were missed; ask for the older ones with since\n\n${textOf(docs)}`
  }

  return {
    async open({ actor, query, web }) {
      const client = newClient(actor, readFilter(query))
      try {
        fanOut.join(client.watch, client)
        const head = app.index.head()
        const text = await beginning(client, web.request.headers['last-event-id']?.toString(), head)
        client.stream = openEventStream(web.reply, () => drop(client))
        if (text) client.stream.write(new Chunk(text))
        client.seq = head
        if (app.stopping.signal.aborted || !client.allowed()) return end(client)
        if (!fanOut.release(client.watch, client)) guarded(client)()
      } catch (error) {
        drop(client)
        throw error
      }
    },
  }
}

/** An entry's JSON begins with its id. */
const idOf = (doc: string): string => doc.slice(7, 25)
