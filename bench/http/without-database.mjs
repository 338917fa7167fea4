// The daemon's own HTTP side with one operation that stores nothing: the limit for what storing costs. Prints where it listens.
import { load } from '../support.mjs'

const kernel = await load(
  'daemon/kernel/app.ts',
  'daemon/kernel/auth.ts',
  'daemon/kernel/config.ts',
  'daemon/kernel/db.ts',
  'daemon/kernel/dispatch.ts',
  'daemon/kernel/feature.ts',
  'daemon/kernel/http.ts',
  'daemon/kernel/log.ts',
  'src/contract/chats.ts',
)
const root = new URL('../..', import.meta.url).pathname
const db = kernel.openDatabase(':memory:')
kernel.migrate(db, kernel.readMigrations(`${root}daemon/migrations`), new Date().toISOString())
const { config } = kernel.loadConfig({
  env: { SVC_ENV: 'test', SVC_RATELIMIT_DISABLED: 'true', SVC_DATA_DIR: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' },
})
const app = kernel.createApp({ config, db, log: kernel.createLog({ level: 'silent', format: 'json' }), vault: null })

const endpoints = { create: { ...kernel.chats.create, journal: false } }
kernel.register(app, { plain: kernel.feature(endpoints, () => ({ create: () => ({ id: 'c000000000000000000000000' }) })) })

const token = `svc_cli_${'0'.repeat(64)}`
db.exec(`
  INSERT INTO users (id, email, created_at, updated_at) VALUES ('u', 'bench@example.com', '', '');
  INSERT INTO workspaces (id, name, slug, created_at, updated_at) VALUES ('w', 'Bench', 'bench', '', '');
  INSERT INTO workspace_members (id, workspace_id, user_id, role, created_at, updated_at) VALUES ('m', 'w', 'u', 'OWNER', '', '');
  INSERT INTO cli_tokens (id, user_id, name, token_hash, tier, created_at) VALUES ('t', 'u', 'bench', '${kernel.hashToken(token, '')}', 'STANDARD', '')`)
const http = kernel.createServer(app)
const url = await http.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ url: `${url}/api/v1/agents/a/chats`, headers: { authorization: `Bearer ${token}`, 'x-workspace-id': 'w' } })}\n`)
