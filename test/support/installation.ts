import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Static } from 'typebox'
import { type Client, type Connection, createClient, createConnection, locate } from '#client'
import { send } from '#client/http'
import { lines } from '#client/lines'
import type { Message } from '#contract/chats'
import type { RunFrame, StreamFrame } from '#contract/frames'
import type { JournalEntry } from '#contract/journal'
import { type Musterd, startMusterd } from './musterd.ts'

export type Line = RunFrame | StreamFrame
type Entry = Static<typeof JournalEntry>
type Spoken = Static<typeof Message>
type RunRow = Awaited<ReturnType<Client['runs']['show']>>

export interface Turn {
  chatId: string
  runId: string
  frames: RunFrame[]
  run: RunRow
  /** What is on record of the run, in order. */
  entries: Entry[]
  /** What the chat holds after the message of the user. */
  answer: Spoken | undefined
}

/** The built daemon on a folder of its own, and what its first user does with it. */
export interface Installation {
  readonly dataDir: string
  /** The owner's way in: the local socket, which stays the same over restarts. */
  readonly connection: Connection
  readonly client: Client
  /** All that was ever answered, streamed or printed. */
  readonly said: string[]
  start(): Promise<void>
  /** As a crash: SIGKILL. */
  kill(): Promise<void>
  /** SIGTERM; its exit code. */
  stop(): Promise<number>
  /** Kills the daemon and removes the folder. */
  remove(): Promise<void>
  openChat(agentId: string): Promise<string>
  /** Sends a message; the id of the run that it starts. */
  say(chatId: string, content: string): Promise<string>
  /** The stream of a chat, line by line. */
  watch(chatId: string, query?: { last_seq?: number; follow?: boolean }): AsyncGenerator<Line>
  /** A whole turn in a chat of its own. */
  turn(
    agentId: string,
    content: string,
    onFrame?: (frame: RunFrame, turn: { chatId: string; runId: string }) => unknown,
  ): Promise<Turn>
  entriesOf(runId: string): Promise<Entry[]>
  messagesOf(chatId: string): Promise<Spoken[]>
  /** A file of an agent, as text. */
  download(agentId: string, path: string): Promise<string>
}

/** What was said, as one text. */
export const spoken = (frames: readonly Line[]): string =>
  frames.map((frame) => (frame.type === 'text' ? frame.content : '')).join('')

const terminal = /^run\.(completed|failed|cancelled|timeout)$/

/** The entries that tell of a run's end; there should be one. */
export const endsIn = (entries: readonly Entry[]): Entry[] =>
  entries.filter(({ entry_type }) => terminal.test(entry_type))

/**
 * Removes a folder in which runs that outlive their daemon may still write how they end. Node's own retries look at a
 * folder's files once, and so never remove one that is written after that.
 */
async function removeInUse(folder: string): Promise<void> {
  for (let left = 20; ; left--)
    try {
      return rmSync(folder, { recursive: true, force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY' || left === 0) throw error
      await setTimeout(100)
    }
}

/** Starts a daemon with these settings, and makes its first user. */
export async function install(settings: Record<string, string>): Promise<Installation> {
  const home = mkdtempSync(join(tmpdir(), 'muster-e2e-'))
  const dataDir = settings['SVC_DATA_DIR'] ?? join(home, 'data')
  const { DOCKER_HOST } = process.env
  const env = {
    HOME: home,
    ...(DOCKER_HOST && { DOCKER_HOST }),
    SVC_DATA_DIR: dataDir,
    SVC_PORT: '0',
    SVC_LOG_LEVEL: 'debug',
    ...settings,
  }
  const said: string[] = []
  let daemon: Musterd

  async function start(): Promise<void> {
    daemon = await startMusterd(env, (text) => said.push(text))
  }

  const connect = (who: { token?: string; workspace?: string }) =>
    createConnection({
      server: `unix://${dataDir}/musterd.sock`,
      ...who,
      async send(target, outgoing) {
        const reply = await send(target, outgoing)
        said.push(String(reply.body))
        return reply
      },
    })

  await start()
  const made = await createClient(connect({})).bootstrap.create({
    body: { full_name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery' },
  })
  const connection = connect({ token: made.cli_token, workspace: made.workspace_id })
  const client = createClient(connection)

  async function* watch(chatId: string, query: { last_seq?: number; follow?: boolean } = {}): AsyncGenerator<Line> {
    for await (const line of lines<Line>(connection, locate('chats.stream', { chatId, query }))) {
      said.push(JSON.stringify(line))
      yield line
    }
  }
  const openChat = async (agentId: string) => (await client.chats.create({ agentId, body: {} })).id
  const say = async (chatId: string, content: string) => {
    const { run_id } = await client.chats.send({ chatId, body: { content } })
    return run_id!
  }
  const entriesOf = async (runId: string) =>
    (await client.journal.list({ query: { run_id: runId, limit: 500 } })).entries.reverse()
  const messagesOf = async (chatId: string) => (await client.chats.messages({ chatId, query: {} })).messages

  return {
    dataDir,
    connection,
    client,
    said,
    start,
    kill: () => daemon.kill(),
    stop: () => daemon.stop(),
    async remove() {
      await daemon.kill()
      await removeInUse(home)
    },
    openChat,
    say,
    watch,
    async turn(agentId, content, onFrame = () => {}) {
      const chatId = await openChat(agentId)
      const frames: RunFrame[] = []
      let runId = ''
      for await (const line of watch(chatId, { follow: true })) {
        if (line.type === 'stream.open') runId = await say(chatId, content)
        if (!('seq' in line)) continue
        frames.push(line)
        await onFrame(line, { chatId, runId })
        if (line.type === 'done') break
      }
      const [run, entries, messages] = await Promise.all([
        client.runs.show({ runId }),
        entriesOf(runId),
        messagesOf(chatId),
      ])
      return { chatId, runId, frames, run, entries, answer: messages[1] }
    },
    entriesOf,
    messagesOf,
    async download(agentId, path) {
      const { method, path: at } = locate('files.download', { agentId, query: { path } })
      return String((await connection.request(method, at)).body)
    },
  }
}

/** Every file below a folder that holds one of these texts. */
export function filesWith(folder: string, texts: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(folder, name)).isFile())
    .filter((name) => {
      const bytes = readFileSync(join(folder, name))
      return texts.some((text) => bytes.includes(text))
    })
}
