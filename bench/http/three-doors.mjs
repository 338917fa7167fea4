// One handler behind an open door and behind one for whoever is signed in, by token or by cookie. Prints where it listens.
import { Type } from 'typebox'
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
  'daemon/kernel/vault.ts',
  'src/contract/define.ts',
)
const root = new URL('../..', import.meta.url).pathname
const db = kernel.openDatabase(':memory:')
kernel.migrate(db, kernel.readMigrations(`${root}daemon/migrations`), new Date().toISOString())
const { config } = kernel.loadConfig({
  env: { SVC_ENV: 'test', SVC_RATELIMIT_DISABLED: 'true', SVC_DATA_DIR: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' },
})
const app = kernel.createApp({ config, db, log: kernel.createLog({ level: 'silent', format: 'json' }), vault: kernel.createVault(Buffer.alloc(32, 1)) })

const door = { summary: 'Answer', reply: Type.Object({ id: Type.String() }) }
const endpoints = { open: kernel.get('/open', { ...door, access: 'public', rate: 'none' }), known: kernel.get('/known', { ...door, access: 'signed-in' }) }
const answer = () => ({ id: 'c000000000000000000000000' })
kernel.register(app, { doors: kernel.feature(endpoints, () => ({ open: answer, known: answer })) })

const token = `svc_cli_${'0'.repeat(64)}`
db.exec(`
  INSERT INTO users (id, email, created_at, updated_at) VALUES ('u', 'bench@example.com', '', '');
  INSERT INTO cli_tokens (id, user_id, name, token_hash, tier, created_at) VALUES ('t', 'u', 'bench', '${kernel.hashToken(token, null)}', 'STANDARD', '');
  INSERT INTO user_sessions (id, user_id, created_at, last_used_at, expires_at, current_refresh_jti)
    VALUES ('s_0', 'u', '', '${new Date().toISOString()}', '2999-01-01T00:00:00Z', 'j')`)
const access = await app.auth.seals.seal('access', { userId: 'u', sessionId: 's_0', name: 'Bench', email: 'bench@example.com' })
const http = kernel.createServer(app)
const url = await http.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ url, token, cookie: `authjs.session-token=${access.token}` })}\n`)
