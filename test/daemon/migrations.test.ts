import { afterEach, describe, expect, it } from 'vitest'
import { type Db, migrate, openDatabase } from '#kernel/store/db'
import { migrations } from '#test'

let db: Db
afterEach(() => db.close())

/** A database as the version before this migration left it. */
function before(name: string): Db {
  db = openDatabase(':memory:')
  migrate(
    db,
    migrations.slice(
      0,
      migrations.findIndex((it) => it.name.includes(name)),
    ),
    'then',
  )
  db.pragma('foreign_keys = OFF')
  return db
}

describe('runs that a version before 0017 stored', () => {
  it('keep everything: what they are asked, their frames, their place in line, their record', () => {
    const db = before('0017-')
    const chat = db.prepare(
      `INSERT INTO chats (id, workspace_id, agent_id, mode, status, visibility, message_count, last_frame, started_at,
        last_activity_at, created_at) VALUES (?, 'w', 'a', 'CHAT', 'ACTIVE', 'private', 1, ?, 't', 't', 't')`,
    )
    chat.run('chat1', 42)
    chat.run('chat2', 7)
    const message = db.prepare(
      `INSERT INTO chat_messages (chat_id, seq, id, role, content, metadata_json, ts)
       VALUES (?, ?, ?, 'user', 'x', ?, 't')`,
    )
    message.run('chat1', 1, 'msg1', null)
    message.run('chat1', 2, 'msg2', '{"answer_to":{"question":"Which?","by":"Ann"}}')
    message.run('chat2', 1, 'msg3', '{"ask_submission":{}}')
    const run = db.prepare(
      `INSERT INTO run_executions (id, workspace_id, crew_id, agent_id, agent_name, agent_slug, chat_id, message_id,
        trigger_type, max_turns, phase, first_frame, created_at, attempt, worked_ms, spent_json, discarded)
       VALUES (?, 'w', 'c', 'a', 'Ada', 'ada', ?, ?, 'USER', 0, ?, ?, 5, ?, 60, '{"num_turns":2}', ?)`,
    )
    run.run('old', 'chat1', 'msg1', 'ended', 1, 0, 1)
    run.run('answered', 'chat1', 'msg2', 'queued', 43, 1, 0)
    run.run('open', 'chat2', 'msg3', 'running', 3, 0, 0)
    run.run('orphan', 'gone', 'gone', 'ended', 1, 0, 1)
    db.exec(`INSERT INTO runs (seq, id, workspace_id, trigger_type, status, started, metadata, details)
      VALUES (9, 'old', 'w', 'USER', 'COMPLETED', 5, '{}', '{}');
      INSERT INTO run_tags (workspace_id, tag, seq) VALUES ('w', 'nightly', 9)`)

    migrate(db, migrations, 'now')
    const kept = db
      .prepare(
        'SELECT id, chat_id, source, source_id, phase, stream, first_frame, last_frame, attempt, discarded FROM runs',
      )
      .raw()
      .all()
    expect(kept).toEqual([
      ['old', 'chat1', 'chat', 'msg1', 'ended', 'chat1', 1, 42, 0, 1],
      ['answered', 'chat1', 'answer', 'msg2', 'queued', 'chat1', 43, 42, 1, 0],
      ['open', 'chat2', 'chat', 'msg3', 'running', 'chat2', 3, 7, 0, 0],
      ['orphan', 'gone', 'chat', 'gone', 'ended', 'gone', 1, 0, 0, 1],
    ])
    expect(db.prepare("SELECT worked_ms, spent_json, created_at FROM runs WHERE id = 'open'").raw().get()).toEqual([
      60,
      '{"num_turns":2}',
      5,
    ])
    const tagged = db.prepare('SELECT r.id, r.status, t.tag FROM run_records r JOIN run_tags t ON t.seq = r.seq')
    expect(tagged.raw().all()).toEqual([['old', 'COMPLETED', 'nightly']])
    db.pragma('foreign_keys = ON')
    expect(db.pragma('foreign_key_check(run_tags)')).toEqual([])
  })
})

describe('labels of issues that a version without an index of them stored', () => {
  it('are in the index', () => {
    const db = before('labelled-issues')
    db.exec(`INSERT INTO missions (id, workspace_id, crew_id, mission_type, number, identifier, title, status,
        priority, work_mode, due_date, sort_order, project_id, created_by_type, created_at, updated_at)
      VALUES
        ('i1', 'w', 'c', 'issue', 1, 'X-1', 'One', 'TODO', 'low', 'agent', '2026-01-02', 3, 'p', 'user', 't1', 't2'),
        ('i2', 'w', 'c', 'issue', 2, 'X-2', 'Two', 'DONE', 'high', 'agent', NULL, 4, NULL, 'user', 't3', 't4');
      INSERT INTO mission_labels (mission_id, label_id) VALUES ('i1', 'bug'), ('i2', 'bug'), ('i2', 'ui')`)

    migrate(db, migrations, 'now')
    const kept = db.prepare('SELECT * FROM labelled_issues ORDER BY label_id, created_at').raw().all()
    expect(kept).toEqual([
      ['bug', 't1', 1, 'w', 'issue', 'TODO', 'low', '2026-01-02', 't2', 3, 'c', 'p', null, 'One'],
      ['bug', 't3', 2, 'w', 'issue', 'DONE', 'high', null, 't4', 4, 'c', null, null, 'Two'],
      ['ui', 't3', 2, 'w', 'issue', 'DONE', 'high', null, 't4', 4, 'c', null, null, 'Two'],
    ])
  })
})
