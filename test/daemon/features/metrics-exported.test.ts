import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fact } from '#contract/entries'
import { watchProcess } from '#kernel/metrics'
import { closing, daemon } from '#test'
import { exportMetrics } from '../../../daemon/features/metrics/exported/jobs.ts'
import { projectRuns } from '../../../daemon/features/runs/records/projection.ts'
import { furnish } from '../../support/furnish.ts'

interface Dashboard {
  title: string
  panels: { title: string; gridPos: { x: number; y: number; w: number }; targets: { expr: string }[] }[]
}

const folder = new URL('../../../templates/grafana/', import.meta.url)

async function scene() {
  const it = await daemon()
  closing(exportMetrics(it.app))
  const about = { workspace_id: it.workspace, actor_type: 'system' } as const
  const record = (work: () => unknown) => it.app.writeNow(work)
  const run = (trace_id: string, end: 'run.completed' | 'run.failed', metadata: Record<string, unknown> = {}) => {
    record(() => it.app.journal(fact('run.started', { trigger_type: 'SCHEDULE' }, { ...about, trace_id })))
    it.clock.advance(2000)
    record(() => it.app.journal(fact(end, { metadata }, { ...about, trace_id })))
  }
  const read = async () => (await it.call(null, 'GET', '/metrics')).text
  return { ...it, run, read }
}

describe('/metrics', () => {
  it('counts runs, how long they took, what they used and cost', async () => {
    const it = await scene()
    if (!it.app.db.prepare('SELECT 1 FROM run_records').get()) it.app.project(projectRuns(it.app.db))
    it.run('ca', 'run.completed', { input_tokens: 7, output_tokens: 5, total_cost_usd: 0.25 })
    it.run('cb', 'run.failed')
    const text = await it.read()
    expect(text).toContain('muster_runs_started_total{trigger="schedule"} 2')
    expect(text).toContain('muster_runs_ended_total{status="completed"} 1')
    expect(text).toContain('muster_runs_ended_total{status="failed"} 1')
    expect(text).toContain('muster_run_duration_seconds_sum{status="completed"} 2')
    expect(text).toContain('muster_run_tokens_total{direction="input"} 7')
    expect(text).toContain('muster_run_tokens_total{direction="output"} 5')
    expect(text).toContain('muster_run_cost_usd_total 0.25')
    expect(text).toContain('muster_journal_entries_total{type="run.started"} 2')
  })

  it('tells how much is open at that moment', async () => {
    const it = await scene()
    await furnish(it, it.person('OWNER'), 'web')
    const text = await it.read()
    expect(text).toMatch(/muster_runs_open\{phase="running"\} 1/)
    expect(text).toMatch(/muster_decisions_open\{kind="escalation"\} 1/)
    expect(text).toMatch(/muster_database_bytes \d{5,}/)
    it.app.db.prepare("UPDATE runs SET phase = 'ended'").run()
    expect(await it.read(), 'what is over is not told any more').not.toContain('muster_runs_open{')
  })

  it('names nobody', async () => {
    const it = await scene()
    const owner = it.person('OWNER')
    await furnish(it, owner, 'zebra')
    it.run('ca', 'run.completed')
    const text = await it.read()
    for (const word of [owner.email, owner.userId, it.workspace, 'zebra']) expect(text).not.toContain(word)
  })
})

describe.each(readdirSync(folder))('templates/grafana/%s', (name) => {
  const dashboard = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Dashboard
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

  it('asks for metrics that are exported, each of ours at least once', async () => {
    const it = await scene()
    watchProcess(it.app.metrics)
    const exported = new Set(it.app.metrics.registry.getMetricsAsArray().map((metric) => metric.name))
    const words = expressions.flatMap((text) => text.match(/\b(?:muster|nodejs|process)_\w+/g) ?? [])
    const asked = new Set(words.map((word) => (exported.has(word) ? word : word.replace(/_(bucket|sum|count)$/, ''))))
    expect([...asked].filter((word) => !exported.has(word))).toEqual([])
    expect([...exported].filter((word) => word.startsWith('muster_') && !asked.has(word))).toEqual([])
  })

  it('asks with labels that there are', () => {
    const labels = expressions.flatMap((text) =>
      [...text.matchAll(/by \(([^)]+)\)/g)].flatMap(([, it]) => it!.split(', ')),
    )
    const known = ['phase', 'trigger', 'status', 'le', 'direction', 'kind', 'state', 'type', 'operation']
    expect(labels.filter((label) => !known.includes(label))).toEqual([])
  })

  it('has panels with titles of their own, beside each other', () => {
    const titles = dashboard.panels.map(({ title }) => title)
    expect(new Set(titles).size).toBe(titles.length)
    const places = dashboard.panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)
    expect(new Set(places).size).toBe(places.length)
  })
})
