import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '#kernel/config'
import { loadSeals } from '#kernel/journal/seal-file'
import { createLog } from '#kernel/log'
import { type Db, missingMigrations, openReader } from '#kernel/store/db'
import { knownMigrations, storeFile } from '../store.ts'
import { requireOwnFolder } from './access.ts'
import { AddressTaken, requireAddress } from './address.ts'
import { inspectFile } from './database-file.ts'
import { exitCodes } from './exit-codes.ts'
import { storedKeyCheck } from './facts.ts'
import { explain } from './failure.ts'
import { openVault, presentKey } from './key.ts'
import { refuseLoss } from './loss.ts'
import { sealFile, storeFault } from './open.ts'
import { compareSeals } from './sealed.ts'

export interface Finding {
  name: string
  status: 'ok' | 'warn' | 'fail'
  detail: string
  fix: string | null
}

/** Larger databases are not read from end to end. */
const wholeBytes = 512 * 1024 * 1024

/**
 * What would keep the daemon from starting, found without changing anything, also while it works. The exit code is 1
 * when something would.
 */
export async function check(config: Config, json: boolean): Promise<number> {
  const findings = [attempt('data folder', () => folder(config)), attempt('database', () => database(config))]
  const port = await address(config).catch((error: Error) => failed('port', error))
  findings.push(port)
  const lines = findings.map(({ name, status, detail, fix }) => [status, name, detail, fix ?? ''].join('\t'))
  process.stdout.write(`${json ? JSON.stringify(findings) : lines.join('\n')}\n`)
  return findings.some(({ status }) => status === 'fail') ? 1 : 0
}

const ok = (name: string, detail: string): Finding => ({ name, status: 'ok', detail, fix: null })

function attempt(name: string, look: () => string): Finding {
  try {
    return ok(name, look())
  } catch (error) {
    return failed(name, error as Error)
  }
}

function failed(name: string, error: Error): Finding {
  const { text, next, exitCode } = explain(error)
  const byHand = 'start musterd by hand, which shows where it fails'
  if (exitCode === exitCodes.failed) return { name, status: 'fail', detail: error.message, fix: byHand }
  // The remedy stands in a sentence of its own where the error has one.
  const [what = text, remedy] = next === null ? text.split(/\. (?=[A-Z])/) : [text]
  return { name, status: 'fail', detail: what, fix: next ?? remedy ?? byHand }
}

function folder({ dataDir }: Config): string {
  requireOwnFolder(dataDir)
  return statSync(dataDir, { throwIfNoEntry: false }) ? `${dataDir} is this user's` : `${dataDir} is not there yet`
}

function database(config: Config): string {
  // To open it may make files beside it.
  requireOwnFolder(config.dataDir)
  const file = storeFile(config.dataDir)
  const fault = storeFault(config.dataDir)
  if (fault) refuseLoss(fault)
  const { is } = inspectFile(file)
  if (is !== 'ours') return 'The first start makes one'
  const db = openReader(file)
  try {
    const missing = missingMigrations(db, knownMigrations())
    if (missing.length) return `${file} is of an earlier version: the next start updates it`
    requireSound(db, statSync(file).size)
    requireBelonging(config, db)
    return `${file} is sound, and fits its key and its seals`
  } finally {
    db.close()
  }
}

function requireSound(db: Db, size: number): void {
  if (size > wholeBytes) return
  const found = db.pragma('quick_check(1)', { simple: true })
  if (found !== 'ok') refuseLoss({ code: 'database_damaged', what: `The database ${db.name} is damaged: ${found}` })
}

/** Key, seals and database are of one installation. */
function requireBelonging(config: Config, db: Db): void {
  if (storedKeyCheck(db) === null) return
  const seals = join(config.dataDir, sealFile)
  const log = createLog({ level: 'silent', format: 'json' })
  const key = presentKey(config) === null ? null : openVault(config, db, refuseLoss, log).derive('journal-seal')
  const loss = compareSeals(db, seals, loadSeals(seals, key))
  if (loss) refuseLoss(loss)
}

/** The port may be held by the very daemon of this folder. */
async function address(config: Config): Promise<Finding> {
  const at = `${config.host}:${config.port}`
  try {
    await requireAddress(config)
    return ok('port', config.port === 0 ? 'Any free port' : `${at} is free`)
  } catch (error) {
    if (error instanceof AddressTaken && error.pid === ownPid(config)) return ok('port', `${at} is the daemon's`)
    throw error
  }
}

function ownPid({ dataDir }: Config): number | null {
  try {
    return (JSON.parse(readFileSync(join(dataDir, 'musterd.json'), 'utf8')) as { pid: number }).pid
  } catch {
    return null
  }
}
