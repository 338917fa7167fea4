import { join } from 'node:path'
import { createApp } from '#kernel/app'
import type { Config } from '#kernel/config'
import { register } from '#kernel/dispatch'
import { createServer } from '#kernel/http/operations'
import { openInstance } from '#kernel/instance'
import { createLog } from '#kernel/log'
import { openSigner } from '#kernel/signer'
import { lockDirectory } from '#kernel/store/lock'
import { version } from '#kernel/version'
import { features } from './features/index.ts'
import { listenLocally } from './local-socket.ts'
import { requireOwnFolder } from './start/access.ts'
import { openState } from './start/open.ts'
import { settleState } from './start/settle.ts'

/**
 * Starts as the daemon does, but without network, runtime and jobs: it answers on its socket, does nothing by itself,
 * and ends with standard input. `muster backup drill` proves with it that a backup is a server.
 */
export async function rehearse(config: Config): Promise<void> {
  const log = createLog({ level: config.logLevel, format: config.logFormat })
  requireOwnFolder(config.dataDir)
  const lock = lockDirectory(config.dataDir)
  const state = openState(config, log, { acceptLoss: false })
  const keys = { instance: openInstance(config.dataDir), signer: openSigner(config.dataDir) }
  const app = createApp({ config, log, ...keys, ...state })
  register(app, features)
  await settleState(app, state)
  const http = createServer(app)
  await http.ready()
  const local = await listenLocally(config, http, join(config.dataDir, 'musterd.sock'))
  process.stdout.write(`${JSON.stringify({ ready: true, version })}\n`)
  await new Promise<void>((resolve) => process.stdin.on('end', resolve).resume())
  app.stopping.abort()
  local.close()
  await http.close()
  await app.idle()
  await app.reads.close()
  await app.seals.close()
  app.db.close()
  lock.release()
  process.exit(0)
}
