// The daemon's own HTTP side over a database in memory, with operations of the benchmark's instead of Muster's.
import { load } from '../support.mjs'

const sources = [
  'app',
  'auth/authenticator',
  'config',
  'store/db',
  'dispatch',
  'feature',
  'http/operations',
  'log',
  'store/vault',
].map((name) => `daemon/kernel/${name}.ts`)

/**
 * The kernel with what else these sources export, one user with a token, and `serve`, which resolves with the address.
 */
export async function openKernel(...more) {
  const kernel = await load(...sources, ...more)
  const db = kernel.openDatabase(':memory:')
  kernel.migrate(
    db,
    kernel.readMigrations(new URL('../../daemon/migrations', import.meta.url).pathname),
    new Date().toISOString(),
  )
  const { config } = kernel.loadConfig({
    env: {
      SVC_ENV: 'test',
      SVC_RATELIMIT_DISABLED: 'true',
      SVC_DATA_DIR: '/nonexistent',
      XDG_CONFIG_HOME: '/nonexistent',
    },
  })
  const app = kernel.createApp({
    config,
    db,
    log: kernel.createLog({ level: 'silent', format: 'json' }),
    vault: kernel.createVault(Buffer.alloc(32, 1)),
  })
  const token = `svc_cli_${'0'.repeat(64)}`
  db.exec(`
    INSERT INTO users (id, email, created_at, updated_at) VALUES ('u', 'bench@example.com', '', '');
    INSERT INTO cli_tokens (id, user_id, name, token_hash, tier, created_at)
    VALUES ('t', 'u', 'bench', '${kernel.hashToken(token, null)}', 'STANDARD', '')`)
  return { kernel, app, token, serve: () => kernel.createServer(app).listen({ host: '127.0.0.1', port: 0 }) }
}
