import Database from 'better-sqlite3'

/** What is searched for: each kind is another cost. `word1` is in nearly all messages, `word40000` in a few. */
export const phrases = {
  'one word': ['word300', 'word555', 'word900'],
  'two words': ['word2 word3', 'word5 word9'],
  phrase: ['word1 word2 word4', 'word3 word1 word2'],
  'rare word': ['word40000', 'word43210', 'needle'],
  'very common word': ['word1', 'the'],
}

const [agentCount, chatsOfAgent] = [400, 25]
const sizes = [8, 20, 60, 200]

/** A text of Zipf-distributed words. */
function textOf(random, at) {
  const words = ['the']
  for (let left = sizes[at % sizes.length]; left > 0; left--) words.push(`word${Math.floor(50_000 ** random()) || 1}`)
  if (at % 200_000 === 5) words.push('needle')
  return words.join(' ')
}

/** Numbers from 0 to 1 that are the same in each run. */
function randomFrom(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const place = '2026-01-01T00:00:00.000Z'

/** Copies of a table's one row, with other ids. */
function copies(db, table, count, own) {
  const row = db.prepare(`SELECT * FROM ${table}`).get()
  const names = Object.keys(row)
  const insert = db.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `@${name}`)})`)
  return Array.from({ length: count }, (_, at) => {
    const made = { ...row, id: `bench${table}${at}`, name: `Bench ${at}`, slug: `bench-${at}`, ...own(at) }
    insert.run(made)
    return made.id
  })
}

const pages = (db, like) =>
  db.prepare('SELECT coalesce(sum(length(block)), 0) FROM message_words_data').pluck().get() +
  db.prepare(`SELECT coalesce(sum(length(sz)), 0) + 12 * count(*) FROM ${like}`).pluck().get()

/** Fills the database of a stopped daemon with agents, chats and indexed messages. */
export async function fillChats(file, count, workspace) {
  const db = new Database(file)
  db.pragma('foreign_keys = OFF')
  db.pragma('synchronous = OFF')
  db.pragma('cache_size = -200000')
  const random = randomFrom(1)
  const agents = db.transaction(() => {
    const [crew] = copies(db, 'crews', 1, () => ({}))
    const made = copies(db, 'agents', agentCount, (at) => (at < 8 ? { crew_id: crew } : {}))
    const chat = db.prepare(`INSERT INTO chats (id, workspace_id, agent_id, mode, status, visibility, message_count,
      started_at, last_activity_at, created_at)
      VALUES (?, ?, ?, 'CHAT', 'ACTIVE', 'private', 0, '${place}', '${place}', '${place}')`)
    for (const agent of made) for (let n = 0; n < chatsOfAgent; n++) chat.run(`${agent}-${n}`, workspace, agent)
    return made
  })()
  const message = db.prepare(`INSERT INTO chat_messages (chat_id, seq, id, agent_id, role, content, ts)
    VALUES (?, ?, ?, ?, 'assistant', ?, '${place}')`)
  const number = db.prepare('INSERT INTO message_numbers VALUES (CAST(? AS INTEGER), ?, ?)')
  const words = db.prepare('INSERT INTO message_words (rowid, content, scope) VALUES (CAST(? AS INTEGER), ?, ?)')
  const fill = db.transaction((from, to) => {
    for (let at = from; at < to; at++) {
      const agent = agents[Math.floor(random() * agentCount)]
      const text = textOf(random, at)
      const id = `msg_${at}`
      message.run(`${agent}-${at % chatsOfAgent}`, at, id, agent, text)
      number.run(2 ** 40 + at + 1, id, agent)
      words.run(2 ** 40 + at + 1, text, `${workspace} ${agent}`)
    }
  })
  for (let at = 0; at < count; at += 5_000) fill(at, Math.min(count, at + 5_000))
  const raw = db.prepare('SELECT rowid FROM message_words WHERE message_words MATCH ? ORDER BY rowid DESC LIMIT 20')
  return {
    agents,
    crew: 'benchcrews0',
    indexBytes: pages(db, 'message_words_docsize'),
    rawQuery(text) {
      const begun = performance.now()
      raw.all(`"${text}"`)
      return performance.now() - begun
    },
    close: () => db.close(),
  }
}
