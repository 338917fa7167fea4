import type { Entry } from '#contract/entries'
import { openSearchIndex } from '#kernel/store/db'
import { quote, tokenizer } from './search.ts'

/** Tells whether an entry contains a phrase, by the rules of the full-text index. */
export interface PhraseMatcher {
  matches(phrase: string, entry: Entry): boolean
}

export function createPhraseMatcher(): PhraseMatcher {
  const db = openSearchIndex(':memory:')
  db.exec(`CREATE VIRTUAL TABLE one USING fts5(summary, payload, content='', tokenize='${tokenizer}')`)
  const clear = db.prepare("INSERT INTO one (one) VALUES ('delete-all')")
  const insert = db.prepare<[string, string | null]>('INSERT INTO one (rowid, summary, payload) VALUES (1, ?, ?)')
  const match = db.prepare<[string], number>('SELECT 1 FROM one WHERE one MATCH ?').pluck()
  let held = ''
  return {
    matches(phrase, { id, summary, payload }) {
      if (held !== id) {
        clear.run()
        insert.run(summary, payload ? JSON.stringify(payload) : null)
        held = id
      }
      return match.get(quote(phrase)) === 1
    },
  }
}
