import { createHmac } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ConfigError } from '#kernel/config'
import type { Log } from '#kernel/log'
import { fileSecret } from '#kernel/store/data-dir'
import type { Db } from '#kernel/store/db'
import { createVault, type Vault } from '#kernel/store/vault'
import { installationOf, isUsed, storedKeyCheck } from './facts.ts'
import type { Tell } from './loss.ts'

export const keyFile = 'encryption.key'

/** The key that the operator gave, or the one beside the database; null when there is neither. */
export function presentKey({ encryptionKey, dataDir }: Config): string | null {
  if (encryptionKey) return encryptionKey
  const path = join(dataDir, keyFile)
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null
}

export function vaultOf(text: string): Vault {
  if (!/^[0-9a-fA-F]{64}$/.test(text))
    throw new ConfigError('The encryption key must be 64 hexadecimal characters (32 bytes)')
  return createVault(Buffer.from(text, 'hex'))
}

/** What the database stores to recognise its key. */
export const keyCheck = (vault: Vault, db: Db): string =>
  createHmac('sha256', vault.derive('key-check')).update(installationOf(db)).digest('hex')

const fits = (text: string, db: Db): boolean =>
  /^[0-9a-fA-F]{64}$/.test(text) && keyCheck(vaultOf(text), db) === storedKeyCheck(db)

/**
 * The vault of this database, made on first use. A key other than the one before is a loss: it would open nothing that
 * is stored.
 */
export function openVault(config: Config, db: Db, tell: Tell, log: Log): Vault {
  const present = presentKey(config)
  if (present === null) {
    if (storedKeyCheck(db) !== null || isUsed(db)) {
      const what =
        `There is no encryption key, neither ${keyFile} in ${config.dataDir} nor ENCRYPTION_KEY, ` +
        'but the database there was made with one'
      tell({ code: 'key_missing', what })
    }
    return vaultOf(fileSecret(config.dataDir, keyFile))
  }
  const vault = vaultOf(present)
  compare(config, db, present, tell, log)
  return vault
}

function compare(config: Config, db: Db, present: string, tell: Tell, log: Log): void {
  const inFile = presentKey({ ...config, encryptionKey: '' })
  const two = inFile !== null && inFile.toLowerCase() !== present.toLowerCase()
  const known = storedKeyCheck(db) !== null
  const where = `the database in ${config.dataDir}`
  if (known && !fits(present, db)) {
    const source = config.encryptionKey ? 'ENCRYPTION_KEY' : keyFile
    const hint = two && fits(inFile, db) ? `; ${keyFile} there is: leave ENCRYPTION_KEY unset` : ''
    tell({ code: 'key_wrong', what: `${source} is not the key that ${where} was made with${hint}` })
  } else if (!known && two && isUsed(db)) {
    tell({
      code: 'key_wrong',
      what: `ENCRYPTION_KEY and ${keyFile} in ${config.dataDir} differ, and ${where} does not tell which one made it`,
    })
  } else if (two)
    log.warn(
      { file: keyFile },
      'ENCRYPTION_KEY is the right key, and the file beside the database holds another: remove the file',
    )
}
