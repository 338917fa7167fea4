import { createHash } from 'node:crypto'
import { appendFileSync, chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { replacePrivate } from '../files.ts'
import { stateDir } from '../paths.ts'

type Note = { said: string } | { chat: string }

const kept = 500

/** What this machine remembers about chats with one agent of one server: typed lines and the last chat. */
export interface Memory {
  /** Oldest first. */
  history: string[]
  chat: string | null
  say(text: string): void
  enter(chat: string): void
}

/** Path of the file, which only its owner can read. */
export function memoryFile(server: string, agentId: string, env: NodeJS.ProcessEnv = process.env): string {
  const key = createHash('sha256').update(`${server}\n${agentId}`).digest('hex').slice(0, 24)
  return join(stateDir(env), 'chats', `${key}.jsonl`)
}

/** Opens the file; without one, or with one that cannot be used, nothing is remembered yet. */
export function openMemory(path: string): Memory {
  const notes = read(path)
  const history = notes.flatMap((note) => ('said' in note ? [note.said] : [])).slice(-kept)
  const chat = notes.findLast((note) => 'chat' in note)?.chat ?? null
  if (notes.length > 2 * kept) rewrite(path, [...history.map((said) => ({ said })), ...(chat ? [{ chat }] : [])])
  const note = (it: Note) => attempt(() => appendFileSync(path, `${JSON.stringify(it)}\n`, { mode: 0o600 }))
  attempt(() => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    if ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) chmodSync(path, 0o600)
  })
  return { history, chat, say: (said) => note({ said }), enter: (id) => note({ chat: id }) }
}

function read(path: string): Note[] {
  try {
    return readFileSync(path, 'utf8').split('\n').flatMap(parsed)
  } catch {
    return []
  }
}

/** A line that a crash cut short is passed over. */
function parsed(line: string): Note[] {
  try {
    const value = JSON.parse(line) as Partial<{ said: unknown; chat: unknown }>
    if (typeof value.said === 'string') return [{ said: value.said }]
    return typeof value.chat === 'string' ? [{ chat: value.chat }] : []
  } catch {
    return []
  }
}

function rewrite(path: string, notes: Note[]): void {
  attempt(() => {
    replacePrivate(path, notes.map((note) => `${JSON.stringify(note)}\n`).join(''))
  })
}

/** A folder that cannot be written must not keep anybody from talking. */
function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // Nothing is remembered then.
  }
}
