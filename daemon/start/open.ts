import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '#kernel/config'
import { nothingSealed } from '#kernel/journal/seal'
import { loadSeals, openSealFile, type SealFile } from '#kernel/journal/seal-file'
import type { Log } from '#kernel/log'
import { setAside } from '#kernel/store/data-dir'
import { type Db, dropSearchIndex, isDamaged } from '#kernel/store/db'
import type { Vault } from '#kernel/store/vault'
import { openStore, storeFile } from '../store.ts'
import { inspectFile } from './database-file.ts'
import { installationOf, storedKeyCheck } from './facts.ts'
import { keyFile, openVault, presentKey, vaultOf } from './key.ts'
import { type Loss, refuseLoss, type Tell } from './loss.ts'
import { compareSeals } from './sealed.ts'

export const sealFile = 'journal.seal'

/** What the daemon works with, found to fit together. */
export interface State {
  db: Db
  vault: Vault
  seals: SealFile
  /** Losses that were accepted. */
  losses: Loss[]
  /** The journal was never sealed before. */
  adopted: boolean
}

/**
 * Opens what the data folder stores and refuses any loss, unless the operator accepts it. The caller holds the lock.
 */
export function openState(config: Config, log: Log, { acceptLoss }: { acceptLoss: boolean }): State {
  const losses: Loss[] = []
  const tell: Tell = (loss) => {
    if (!acceptLoss) refuseLoss(loss)
    log.warn({ loss: loss.code }, `Accepted: ${loss.what}`)
    losses.push(loss)
  }
  // A key that cannot be one is refused before anything is made for it.
  if (config.encryptionKey) vaultOf(config.encryptionKey)
  const db = openDatabaseOf(config, log, tell)
  try {
    const vault = openVault(config, db, tell, log)
    const adopted = storedKeyCheck(db) === null
    const seals = openSeals(config, db, vault, tell, losses)
    if (acceptLoss && losses.length === 0) log.info('Nothing is lost: --accept-data-loss had nothing to accept')
    if (losses.length) dropSearchIndex(join(config.dataDir, 'search.db'))
    return { db, vault, seals, losses, adopted }
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * The same for `musterd admin`: makes, accepts and adopts nothing. Seals are written only with the key that they need.
 */
export function openHostState(config: Config, log: Log): { db: Db; seals: SealFile | null } {
  const db = openDatabaseOf(config, log, refuseLoss)
  try {
    if (storedKeyCheck(db) === null) return { db, seals: null }
    if (presentKey(config) !== null)
      return { db, seals: openSeals(config, db, openVault(config, db, refuseLoss, log), refuseLoss, []) }
    const path = join(config.dataDir, sealFile)
    const loss = compareSeals(db, path, loadSeals(path, null))
    if (loss) refuseLoss(loss)
    return { db, seals: null }
  } catch (error) {
    db.close()
    throw error
  }
}

function openDatabaseOf(config: Config, log: Log, tell: Tell): Db {
  const file = storeFile(config.dataDir)
  const lost = (code: Loss['code'], what: string): void => {
    tell({ code, what })
    for (const part of ['', '-wal', '-shm']) setAside(`${file}${part}`)
  }
  const fault = storeFault(config.dataDir)
  if (fault) lost(fault.code, fault.what)
  try {
    return openStore(config, log)
  } catch (error) {
    if (!isDamaged(error)) throw error
    lost('database_damaged', `The database ${file} is damaged: ${(error as Error).message}`)
    return openStore(config, log)
  }
}

/** Why the database file cannot be what was stored; null when it looks right, or nothing was stored yet. */
export function storeFault(dir: string): Loss | null {
  const file = storeFile(dir)
  const found = inspectFile(file)
  const traces = tracesOf(dir)
  if (found.is === 'foreign')
    return { code: 'database_foreign', what: `${file} is not a database of Muster: ${found.why}` }
  if (found.is === 'damaged') return { code: 'database_damaged', what: `The database ${file} is damaged: ${found.why}` }
  if (found.is === 'ours' || traces.length === 0) return null
  const what = `The database ${file} is ${found.is}, but ${traces.join(' and ')} beside it tell of one`
  return { code: 'database_missing', what }
}

/** What is beside a database that was in use. */
const tracesOf = (dir: string): string[] => [keyFile, sealFile].filter((name) => existsSync(join(dir, name)))

function openSeals(config: Config, db: Db, vault: Vault, tell: Tell, losses: readonly Loss[]): SealFile {
  const path = join(config.dataDir, sealFile)
  const key = vault.derive('journal-seal')
  const loaded = loadSeals(path, key)
  const first = storedKeyCheck(db) === null && loaded.fault?.kind === 'seal_missing'
  const loss = first || losses.length ? null : compareSeals(db, path, loaded)
  if (loss) tell(loss)
  if (!losses.length) return openSealFile(path, installationOf(db), key, loaded)
  setAside(path)
  return openSealFile(path, installationOf(db), key, nothingSealed)
}
