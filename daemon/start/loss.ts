/** Stored state that is gone, damaged or belongs elsewhere. */
export interface Loss {
  code:
    | 'database_missing'
    | 'database_damaged'
    | 'database_foreign'
    | 'database_older'
    | 'database_replaced'
    | 'key_missing'
    | 'key_wrong'
    | 'seals_missing'
    | 'seals_forged'
  /** What is there, and what was expected. */
  what: string
}

/** The daemon does not start on this data; the message ends with how to go on. */
export class StartRefused extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Hears of every loss: refuses to go on, or notes that it was accepted. */
export type Tell = (loss: Loss) => void

const remedies: Partial<Record<Loss['code'], string>> = {
  key_missing: 'Bring back encryption.key or set ENCRYPTION_KEY',
  key_wrong: 'Bring back the key that belongs to it',
  seals_missing: 'Bring back journal.seal from the newest backup of this data',
  seals_forged: 'Bring back journal.seal from the newest backup of this data',
}

/** Accepts nothing: the first loss ends the start. */
export const refuseLoss: Tell = ({ code, what }) => {
  const remedy = remedies[code] ?? 'Restore the newest backup of the whole data folder'
  throw new StartRefused(
    code,
    `${what}. ${remedy}; or go on without what is lost: musterd --accept-data-loss (muster up --accept-data-loss)`,
  )
}
