import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { settleMark } from '../../../daemon/features/checkpoints/marks/service.ts'
import { endRewind } from '../../../daemon/features/checkpoints/rewinds/service.ts'
import { cliFor } from '../../support/cli.ts'

const file = (path: string, change: 'added' | 'changed') => ({
  change,
  kind: 'file' as const,
  path,
  odd: false,
  sizeBefore: change === 'added' ? null : 3,
  sizeNow: 4,
  what: change === 'changed' ? ['content' as const] : [],
  uid: 20001,
})

/** An issue WEB-1 with a checkpoint whose files are marked. */
async function scene(settings: Record<string, string> = {}) {
  const it = await daemon()
  const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body
  const issue = (await it.call('OWNER', 'POST', `/crews/${crew.id}/issues`, { title: 'Rewrite' })).body
  const { id } = (await it.call('OWNER', 'POST', `/missions/${issue.id}/checkpoints`, { label: 'before' })).body
  const { app } = it
  app.db.prepare("UPDATE checkpoints SET mark_state = 'marked'").run()
  const rewound: string[] = []
  app.marks = {
    ...app.marks,
    available: true,
    async changes() {
      const entries = [file('/output/ada/new', 'added'), file('/output/ada/text', 'changed')]
      return { added: 1, changed: 1, deleted: 0, entries }
    },
    diff: async (_crew, _mark, path) => ({ state: 'text', diff: `--- ${path}\n-one\n+two\n` }),
    async rewind(rewind) {
      rewound.push(rewind)
      await app.write(() => endRewind(app, rewind, { written: 1, removed: 1 }))
    },
  }
  return { it, id, issue, rewound, ...(await cliFor(it, 'OWNER', settings)) }
}

describe('muster checkpoints', () => {
  it('makes one of an issue by its identifier, and lists it', async () => {
    const { run, it, issue } = await scene()
    it.app.marks = { ...it.app.marks, available: false }
    expect((await run('checkpoints', 'create', issue.identifier.toLowerCase(), '--label', 'now')).code).toBe(0)
    const { stdout } = await run('checkpoints', 'list', issue.identifier)
    expect(stdout.split('\n').map((row) => row.split('\t')[1])).toEqual(['now', 'before', undefined])
  })

  it('waits for files as long as the server works on them, and no longer for anything else', async () => {
    const { run, it, issue, id } = await scene({ SVC_HTTP_TIMEOUT: '1s' })
    const { marks } = it.app
    const slowly = <A extends unknown[], R>(work: (...given: A) => Promise<R>) => {
      return async (...given: A) => delay(1500).then(() => work(...given))
    }
    it.app.marks = {
      ...marks,
      mark: slowly(async () => {}),
      changes: slowly(marks.changes),
      diff: slowly(marks.diff),
      rewind: slowly(marks.rewind),
    }
    const codes = await Promise.all([
      run('checkpoints', 'create', issue.identifier),
      run('checkpoints', 'files', id, '--diff'),
      run('checkpoints', 'diff', id, '/output/ada/text'),
      run('checkpoints', 'rewind', id, '--yes'),
    ])
    expect(codes.map(({ code, stderr }) => [code, /not answer/.test(stderr)])).toEqual(codes.map(() => [0, false]))
  })

  it('says where a new one marks no files, and why', async () => {
    const { run, it, issue } = await scene()
    it.app.marks.mark = async (id) => {
      await it.app.write(() => settleMark(it.app, id, 'failed', { reason: 'the crew never ran' }))
    }
    const { code, stderr } = await run('checkpoints', 'create', issue.identifier)
    expect(code).toBe(0)
    expect(stderr).toContain('Its files are not marked, so that they cannot be put back: the crew never ran')
  })

  it('shows how much was marked, and what was not', async () => {
    const { run, it, id } = await scene()
    const known = { files: 7, folders: 2, links: 0, bytes: 4096, left_out: 2, left_out_paths: ['/a', '/b'], moving: 1 }
    it.app.db.prepare('UPDATE checkpoints SET mark_json = ?').run(JSON.stringify(known))
    const { stdout } = await run('checkpoints', 'show', id)
    expect(stdout).toContain(
      'Files\tmarked\nMarked files\t7\nMarked folders\t2\nMarked links\t0\nSize\t4096\n' +
        'Left out\t2: /a, /b\nWritten meanwhile\t1\n',
    )
    const shown = await run('checkpoints', 'show', id, '-o', 'table')
    expect(shown.stdout).toMatch(/^Size +4\.1 kB$/m)
  })

  it('shows what differs, with texts if one likes', async () => {
    const { run, id } = await scene()
    const { stdout } = await run('checkpoints', 'files', id)
    expect(stdout).toMatch(/\/output\/ada\/new\tadded\tfile/)
    expect(stdout).not.toContain('+two')
    expect((await run('checkpoints', 'files', id, '--diff')).stdout).toContain('--- /output/ada/text\n-one\n+two')
    expect((await run('checkpoints', 'diff', id, '/output/ada/text')).stdout).toContain('+two')
  })

  it('puts files back once that is confirmed, and says how to undo it', async () => {
    const { run, id, rewound } = await scene()
    expect(await run('checkpoints', 'rewind', id)).toMatchObject({ code: 2 })
    expect(rewound).toEqual([])
    const { code, stdout, stderr } = await run('checkpoints', 'rewind', id, '--crew', 'web', '--yes')
    expect(code).toBe(0)
    expect(stdout).toMatch(/\/output\/ada\/text\tchanged/)
    expect(stdout + stderr).toMatch(/1 written, 1 removed\. How they were is checkpoint cp_[0-9a-f]{16}\./)
    expect(rewound).toHaveLength(1)
  })

  it('tries a rewind without doing it', async () => {
    const { run, id, rewound } = await scene()
    const { code, stdout } = await run('checkpoints', 'rewind', id, '--dry-run')
    expect({ code, rewound }).toEqual({ code: 0, rewound: [] })
    expect(stdout).toContain('/output/ada/text')
  })
})
