// Row: what an agent may use of 200 MCP servers, and whether it may call a tool, against reading the servers' rows.
import { join } from 'node:path'
import { percentile, report, scratch } from './measure.mjs'
import { load, root } from './support.mjs'

const { createApp, createInlineReads, createLog, loadConfig, migrate, openDatabase, readMigrations, ...ours } =
  await load(
    'daemon/kernel/app.ts',
    'daemon/kernel/config.ts',
    'daemon/kernel/log.ts',
    'daemon/kernel/store/db.ts',
    'daemon/kernel/store/reads.ts',
    'daemon/features/integrations/resolved/service.ts',
    'daemon/features/integrations/tools/service.ts',
  )

const agent = { id: 'agent', workspace_id: 'workspace', crew_id: 'crew' }
const now = '2026-01-01T00:00:00Z'
const [servers, rounds] = [200, 1000]

/** Servers of a workspace, half of them replaced by a crew's, a quarter bound to the agent; each has ten tools. */
function fill(db) {
  db.pragma('foreign_keys = OFF')
  const server = db.prepare(
    `INSERT INTO mcp_servers (id, workspace_id, crew_id, name, display_name, transport, endpoint, enabled, created_at,
      updated_at) VALUES (?, 'workspace', ?, ?, 'x', 'streamable-http', 'https://x.example/mcp', 1, ?, ?)`,
  )
  const binding = db.prepare(
    `INSERT INTO agent_mcp_bindings (id, agent_id, mcp_server_id, enabled, created_at) VALUES (?, 'agent', ?, 1, ?)`,
  )
  const tool = db.prepare(
    `INSERT INTO mcp_tools (id, server_id, name, approved_json, enabled, created_at, updated_at)
     VALUES (?, ?, ?, '{"inputSchema":{}}', 1, ?, ?)`,
  )
  db.transaction(() => {
    for (let n = 0; n < servers; n++)
      for (const crew of n % 2 ? [null] : [null, 'crew']) {
        const id = `${crew ?? 'all'}-${n}`
        server.run(id, crew, `server-${n}`, now, now)
        if (n % 4 === 0) binding.run(`b-${id}`, id, now)
        for (let t = 0; t < 10; t++) tool.run(`${id}-${t}`, id, `tool-${t}`, now, now)
      }
  })()
}

function timed(work) {
  const times = []
  for (let round = 0; round < rounds; round++) {
    const from = performance.now()
    work()
    times.push(performance.now() - from)
  }
  return times
}

await scratch((dir) => {
  const db = openDatabase(join(dir, 'muster.db'))
  migrate(db, readMigrations(join(root, 'daemon/migrations')), now)
  fill(db)
  const env = { SVC_ENV: 'test', SVC_DATA_DIR: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' }
  const log = createLog({ level: 'error', format: 'text' })
  const app = createApp({ config: loadConfig({ env }).config, db, log, vault: null, reads: createInlineReads(db) })
  const rows = db.prepare("SELECT * FROM mcp_servers WHERE workspace_id = 'workspace'")
  if (ours.integrationsOf(app, agent).length !== servers) throw new Error('Not all servers were found')
  if (ours.mayCall(app, agent, 'all-1', 'tool-3') !== 'allowed') throw new Error('The tool may not be called')
  timed(() => rows.all())
  const limit = timed(() => rows.all())
  const resolved = timed(() => ours.integrationsOf(app, agent))
  const called = timed(() => ours.mayCall(app, agent, 'all-1', 'tool-3'))
  db.close()
  const ms = (times, p) => `${percentile(times, p).toFixed(2)} ms`
  const ratio = percentile(resolved, 50) / percentile(limit, 50)
  report({
    row: `what an agent may use of ${servers} MCP servers`,
    ours: `p50 ${ms(resolved, 50)}, p99 ${ms(resolved, 99)}; whether it may call a tool p50 ${ms(called, 50)}`,
    limit: `p50 ${ms(limit, 50)}, p99 ${ms(limit, 99)} to read the rows alone`,
    ratio,
    target: 'at most 3x at p50',
    met: ratio <= 3,
    method: `${rounds} times each, in one process: half of the servers are replaced by the crew's, a quarter are bound`,
  })
})
