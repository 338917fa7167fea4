import { describe, expect, it } from 'vitest'
import { issueSorts, issueStatuses } from '#contract/issues'
import { workPriorities } from '#contract/projects'
import { daemon } from '#test'
import { type Filter, listing, type Source } from '../../../daemon/features/issues/lists/queries.ts'
import { pageOfIssues } from '../../../daemon/features/issues/lists/service.ts'

interface Made {
  id: string
  title: string
  crew: string
  status: string
  priority: string
  project: string | null
  assignee: string | null
  labels: string[]
  due_date: string | null
  updated_at: string
  created_at: string
  sort_order: number
}

const of = <T>(list: readonly T[], n: number): T => list[n % list.length]!
const day = (n: number) => `2026-01-${String(1 + (n % 28)).padStart(2, '0')}`

type Filters = Record<string, { filter: Filter; passes: (issue: Made) => boolean; sources: Source[] }>

/** Issues of every kind, some of a deleted crew, and lists of them. */
async function furnished() {
  const it_ = await daemon()
  const make = async (path: string, body: object) => (await it_.call('OWNER', 'POST', path, body)).body.id as string
  const crews = [
    await make('/crews', { name: 'One', slug: 'one' }),
    await make('/crews', { name: 'Two', slug: 'two' }),
    await make('/crews', { name: 'Gone', slug: 'gone' }),
  ]
  const projects = [await make('/projects', { name: 'Pages' }), await make('/projects', { name: 'Query' })]
  const agents = [await make('/agents', { name: 'Ada', slug: 'ada', crew_id: crews[0] })]
  const labels = [
    await make('/labels', { name: 'bug', color: '#123' }),
    await make('/labels', { name: 'ui', color: '#456' }),
  ]
  const all: Made[] = Array.from({ length: 210 }, (_, n) => ({
    id: `cissue${String(n).padStart(19, '0')}`,
    title: `Issue ${n % 9 === 0 ? 'zebra' : 'horse'}`,
    crew: of(crews, n),
    status: of(issueStatuses, n * 5),
    priority: of(workPriorities, n * 7),
    project: of([null, ...projects], n * 11),
    assignee: n % 4 ? null : agents[0]!,
    labels: labels.filter((_id, at) => n % (at + 2) === 0),
    due_date: n % 3 ? null : day(n * 13),
    updated_at: `${day(n * 17)}T00:00:00Z`,
    created_at: `${day(n * 3)}T00:00:00Z`,
    sort_order: (n * 29) % 11,
  }))
  it_.app.writeNow(() => {
    const insert = it_.app.db.prepare(
      `INSERT INTO missions (id, workspace_id, crew_id, mission_type, number, identifier, title, status, priority,
        assignee_type, assignee_id, work_mode, due_date, sort_order, project_id,
        created_by_type, created_at, updated_at)
       VALUES (@id, @workspace, @crew, 'issue', @n, 'X-' || @n, @title, @status, @priority,
        CASE WHEN @assignee IS NULL THEN NULL ELSE 'agent' END, @assignee, 'agent', @due_date, @sort_order, @project,
        'user', @created_at, @updated_at)`,
    )
    const mark = it_.app.db.prepare('INSERT INTO mission_labels (mission_id, label_id) VALUES (?, ?)')
    for (const [n, { labels: own, ...issue }] of all.entries()) {
      insert.run({ ...issue, workspace: it_.workspace, n })
      for (const id of own) mark.run(issue.id, id)
    }
  })
  await it_.call('OWNER', 'DELETE', `/crews/${crews[2]}`)
  const made = all.filter(({ crew }) => crew !== crews[2])
  const places = it_.app.db
    .prepare("SELECT json_group_array(rowid) FROM missions WHERE title LIKE '%zebra%'")
    .pluck()
    .get()
  const workspace = it_.workspace
  const [crew, project, assignee] = [crews[0]!, projects[1]!, agents[0]!]
  const statuses = JSON.stringify(['TODO', 'DONE'])
  const priorities = JSON.stringify(['low', 'urgent'])
  const hasStatus = ({ status }: Made) => status === 'TODO' || status === 'DONE'
  const hasPriority = ({ priority }: Made) => priority === 'low' || priority === 'urgent'
  const filters: Filters = {
    nothing: { filter: { workspace }, passes: () => true, sources: ['order'] },
    crew: { filter: { workspace, crew }, passes: (it) => it.crew === crew, sources: ['crew', 'order'] },
    project: { filter: { workspace, project }, passes: (it) => it.project === project, sources: ['project', 'order'] },
    assignee: {
      filter: { workspace, assignee },
      passes: (it) => it.assignee === assignee,
      sources: ['assignee', 'order'],
    },
    statuses: { filter: { workspace, statuses }, passes: hasStatus, sources: ['statuses', 'order'] },
    priorities: { filter: { workspace, priorities }, passes: hasPriority, sources: ['priorities', 'order'] },
    'statuses and priorities': {
      filter: { workspace, statuses, priorities },
      passes: (it) => hasStatus(it) && hasPriority(it),
      sources: ['both', 'order'],
    },
    'a label of a crew': {
      filter: { workspace, crew, label: 'ui' },
      passes: (it) => it.crew === crew && it.labels.includes(labels[1]!),
      sources: ['label', 'crew', 'order'],
    },
    'a label of an agent': {
      filter: { workspace, assignee, label: 'ui' },
      passes: (it) => it.assignee === assignee && it.labels.includes(labels[1]!),
      sources: ['label', 'assignee', 'order'],
    },
    'a text in titles': {
      filter: { workspace, search: '%zebra%', statuses },
      passes: (it) => hasStatus(it) && it.title.includes('zebra'),
      sources: ['statuses', 'order'],
    },
    'a text of few titles': {
      filter: { workspace, found: String(places), priorities },
      passes: (it) => hasPriority(it) && it.title.includes('zebra'),
      sources: ['found'],
    },
    'all at once': {
      filter: { workspace, crew, project, assignee, statuses, priorities, label: 'bug', search: '%horse%' },
      passes: (it) =>
        it.crew === crew &&
        it.project === project &&
        it.assignee === assignee &&
        hasStatus(it) &&
        hasPriority(it) &&
        it.labels.includes(labels[0]!) &&
        it.title.includes('horse'),
      sources: ['crew', 'project', 'assignee', 'label', 'both', 'order'],
    },
  }
  return { it: it_, made, filters }
}

const rank = ['urgent', 'high', 'medium', 'low', 'none']
/** Written from docs/rules/work.md: what stands before what, newest first within the same. */
const keys: Record<(typeof issueSorts)[number], (issue: Made) => (string | number)[]> = {
  created_at: () => [],
  updated_at: ({ updated_at }) => [-Date.parse(updated_at)],
  priority: ({ priority }) => [rank.indexOf(priority)],
  due_date: ({ due_date }) => [due_date === null ? 1 : 0, due_date ?? ''],
  sort_order: ({ sort_order }) => [sort_order],
}
function sorted(issues: readonly Made[], sort: (typeof issueSorts)[number]): string[] {
  const key = (issue: Made) => [...keys[sort](issue), -Date.parse(issue.created_at), -Number(issue.id.slice(6))]
  const before = (a: Made, b: Made) => {
    const [left, right] = [key(a), key(b)]
    const at = left.findIndex((part, n) => part !== right[n])
    return at < 0 ? 0 : left[at]! < right[at]! ? -1 : 1
  }
  return [...issues].sort(before).map(({ id }) => id)
}

describe('a list of issues', () => {
  it.each(issueSorts)('in the order of %s is the same from whatever filter is read first', async (sort) => {
    const { it: it_, made, filters } = await furnished()
    for (const [name, { filter, passes, sources }] of Object.entries(filters)) {
      const expected = sorted(made.filter(passes), sort)
      for (const source of sources)
        for (const label of ['each', 'set'] as const) {
          const rows = listing(it_.app.db, filter, sort, source, label).all({ ...filter, limit: 1000, offset: 0 })
          expect([name, source, label, rows.map(({ id }) => id)]).toEqual([name, source, label, expected])
        }
      const page = pageOfIssues(it_.app, filter, sort, { limit: 5, offset: 2 })
      expect([name, page.map(({ id }) => id)]).toEqual([name, expected.slice(2, 7)])
    }
  })

  it('is chosen from an index alone, without reading an issue that is not shown', async () => {
    const { it: it_, filters } = await furnished()
    for (const [name, { filter, sources }] of Object.entries(filters)) {
      if (filter.search !== undefined) continue
      for (const source of sources.filter((one) => one !== 'found'))
        for (const sort of issueSorts) {
          const { source: text } = listing(it_.app.db, filter, sort, source, 'set')
          const steps = it_.app.db.prepare(`EXPLAIN QUERY PLAN ${text}`).all({ ...filter, limit: 1, offset: 0 })
          const read = (steps as { detail: string }[])
            .map(({ detail }) => detail)
            .find((step) => / m USING /.test(step))
          expect([name, source, sort, read]).toEqual([
            name,
            source,
            sort,
            expect.stringMatching(
              source === 'label' ? /SEARCH m USING PRIMARY KEY \(label_id=/ : /m USING COVERING INDEX/,
            ),
          ])
        }
    }
  })

  it('by label follows whatever becomes of an issue', async () => {
    const { it: it_, made } = await furnished()
    const { app, call } = it_
    const kept = app.db.prepare('SELECT * FROM labelled_issues ORDER BY label_id, rowid')
    const wanted = app.db.prepare(
      `SELECT ml.label_id, m.created_at, m.rowid, m.workspace_id, m.mission_type, m.status, m.priority, m.due_date,
        m.updated_at, m.sort_order, m.crew_id, m.project_id, m.assignee_id, m.title
       FROM mission_labels ml JOIN missions m ON m.id = ml.mission_id ORDER BY ml.label_id, m.rowid`,
    )
    const same = () => expect(kept.all()).toEqual(wanted.all())
    same()
    const issue = made.find(({ status, labels }) => status === 'BACKLOG' && labels.length === 2)!
    const [bug, ui] = issue.labels
    const path = `/crews/${issue.crew}/issues/${issue.id}`
    const change = async (body: object) => expect((await call('OWNER', 'PATCH', path, body)).status).toBe(200)
    const inList = async (query: string) => {
      const { body } = await call('OWNER', 'GET', `/issues?limit=100&label=${query}`)
      return (body as Made[]).some(({ id }) => id === issue.id)
    }
    for (const body of [
      { status: 'TODO', priority: 'urgent', title: 'Another title', due_date: '2026-03-04', sort_order: 77 },
      { project_id: made.find(({ project }) => project !== null && project !== issue.project)!.project },
      { assignee_type: 'user', assignee_id: it_.person('MANAGER').userId },
    ]) {
      await change(body)
      same()
    }
    expect(await inList('bug&status=TODO&priority=urgent&search=Another')).toBe(true)
    await change({ labels: [ui] })
    same()
    expect([await inList('bug'), await inList('ui')]).toEqual([false, true])
    await change({ status: 'CANCELLED' })
    expect((await call('OWNER', 'DELETE', path)).status).toBe(204)
    same()
    expect((await call('OWNER', 'DELETE', `/labels/${bug}`)).status).toBe(204)
    same()
    expect(kept.all()).not.toEqual([])
  })
})
