import { renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type App, createApp } from '#kernel/app'
import type { Config } from '#kernel/config'
import { register } from '#kernel/dispatch'
import { createServer } from '#kernel/http/operations'
import { openInstance } from '#kernel/instance'
import { createLog, type Log, logWarnings } from '#kernel/log'
import { watchProcess } from '#kernel/metrics'
import { openSigner } from '#kernel/signer'
import { prepareDirectory } from '#kernel/store/data-dir'
import { lockDirectory } from '#kernel/store/lock'
import { unlessStorage } from '#kernel/store/storage-fault'
import { version } from '#kernel/version'
import { features } from './features/index.ts'
import { targetOf } from './features/ports/service.ts'
import { noteReceiptKey } from './features/runs/receipts/service.ts'
import { listenLocally } from './local-socket.ts'
import { type Services, startServices } from './services.ts'
import { requireOwnFolder } from './start/access.ts'
import { requireAddress } from './start/address.ts'
import { certify, readCertificate } from './start/certificate.ts'
import { exitCodes } from './start/exit-codes.ts'
import { openState } from './start/open.ts'
import { createReload, listenForReloads } from './start/reload.ts'
import { settleState } from './start/settle.ts'
import { exposePorts } from './streams/exposed/listener.ts'

interface Serving {
  /** Reads the configuration, at the start and at every SIGHUP. */
  load(): Config
  acceptLoss: boolean
}

/** Runs the daemon until SIGTERM or SIGINT. Prints one line of JSON on standard output when it is ready. */
export async function serve({ load, acceptLoss }: Serving): Promise<void> {
  const reloads = listenForReloads()
  const config = load()
  const log = createLog({ level: config.logLevel, format: config.logFormat })
  logWarnings(log)
  requireOwnFolder(config.dataDir)
  prepareDirectory(config.dataDir)
  const lock = lockDirectory(config.dataDir)
  await requireAddress(config)
  const tls = readCertificate(config)
  const state = openState(config, log, { acceptLoss })
  const { dataDir } = config
  const keys = { instance: openInstance(dataDir), signer: openSigner(dataDir) }
  const app = createApp({ config, log, ...keys, ...state })
  watchProcess(app.metrics)
  register(app, features)
  await settleState(app, state)
  settleKeys(app)
  const http = createServer(app, tls)
  await http.ready()
  const services = await startServices(app)
  const local = await listenLocally(config, http, join(config.dataDir, 'musterd.sock'))
  await http.listen({ host: config.host, port: config.port })
  services.attach(http.server)
  services.attach(local)
  const exposing = await exposePorts(app, targetOf, tls)
  announce(config, http, log)
  log.info({ version, data_dir: config.dataDir, runtime: config.containerProvider }, 'Ready')
  reloads.attach(
    createReload(config, log, {
      load,
      certify(files) {
        for (const server of [http.server, exposing.server]) certify(server, files)
      },
    }),
  )
  await stopped(log)
  exposing.close()
  await drain(app, http, local, services)
  app.db.close()
  lock.release()
  process.exit(0)
}

/** A disk that takes no writes delays no start: the key is noted at the next one. */
function settleKeys(app: App): void {
  try {
    app.writeNow(() => noteReceiptKey(app))
  } catch (error) {
    unlessStorage(error)
  }
}

function announce(config: Config, http: FastifyInstance, log: Log): void {
  const { port } = http.server.address() as AddressInfo
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  const url = `${config.tlsCert ? 'https' : 'http'}://${host}:${port}`
  const line = JSON.stringify({
    ready: true,
    url,
    socket: join(config.dataDir, 'musterd.sock'),
    pid: process.pid,
    version,
  })
  const file = join(config.dataDir, 'musterd.json')
  try {
    writeFileSync(`${file}.new`, `${line}\n`, { mode: 0o600 })
    renameSync(`${file}.new`, file)
  } catch (error) {
    unlessStorage(error)
    log.error({ err: error }, 'musterd.json could not be written: muster down will not find this daemon')
  }
  process.stdout.write(`${line}\n`)
}

/** Resolves with the first signal to stop; the second one does not wait. */
const stopped = (log: Log) =>
  new Promise<void>((resolve) => {
    let stopping = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (stopping) stopAtOnce(signal, log)
        stopping = true
        log.info({ signal }, 'Stopping')
        resolve()
      })
    }
  })

/** What was accepted is stored already; the next start finds the rest. */
function stopAtOnce(signal: NodeJS.Signals, log: Log): never {
  log.warn({ signal }, 'Stopping at once')
  process.exit(exitCodes.failed)
}

/** Stops admitting requests, ends streams and stores queued changes. Containers and runs continue. */
async function drain(app: App, http: FastifyInstance, local: Server, services: Services): Promise<void> {
  const late = setTimeout(() => {
    app.log.error('Could not drain in time')
    process.exit(exitCodes.failed)
  }, app.config.shutdownTimeout * 1000)
  app.stopping.abort()
  local.close()
  await http.close()
  await services.close()
  // Half of the time is for mail.
  await app.mailer.close(app.config.shutdownTimeout * 500)
  await app.outbound.close()
  await app.idle()
  await app.reads.close()
  await app.seals.close()
  try {
    rmSync(join(app.config.dataDir, 'musterd.json'), { force: true })
  } catch (error) {
    unlessStorage(error)
  }
  clearTimeout(late)
}
