import { Flags } from '@oclif/core'
import type { BackupReply } from '#contract/backup-host'
import { fileBytes, InputError, interactive, newPassword, secret } from '../input.ts'

const passphraseFlags = {
  'passphrase-file': Flags.string({
    helpValue: 'FILE',
    env: 'SVC_BACKUP_PASSPHRASE_FILE',
    description: 'file with the passphrase',
  }),
  'passphrase-stdin': Flags.boolean({
    description: 'read the passphrase from standard input',
    exclusive: ['passphrase-file'],
  }),
}

/** How a new bundle is encrypted. No secret is ever an argument: other users of the machine see those. */
export const lockingFlags = {
  ...passphraseFlags,
  recipient: Flags.string({
    helpValue: 'KEY',
    env: 'SVC_BACKUP_RECIPIENT',
    description: 'encrypt for the holder of this public key of age (age1...)',
  }),
  'no-encrypt': Flags.boolean({
    description: 'do not encrypt',
    exclusive: ['recipient', 'passphrase-file', 'with-key'],
  }),
}

/** What opens a bundle. */
export const openingFlags = {
  ...passphraseFlags,
  'identity-file': Flags.string({ helpValue: 'FILE', description: 'file with the secret key of age' }),
}

type Given<F> = { [K in keyof F]?: string | boolean | undefined }

const inFile = (path: string): string => {
  const value = fileBytes(path)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  if (!value) throw new InputError(`${path} is empty.`)
  return value
}

export async function lockingOf(flags: Given<typeof lockingFlags>) {
  const { recipient, 'passphrase-file': file, 'passphrase-stdin': piped } = flags
  if (flags['no-encrypt']) return { no_encrypt: true }
  if (piped) return { passphrase: await secret('Passphrase of the backup', { piped: true }) }
  if (recipient) return { recipient: recipient as string }
  if (file) return { passphrase: inFile(file as string) }
  if (interactive()) return { passphrase: await newPassword('Passphrase of the backup') }
  throw new InputError(
    'A backup is encrypted: say how.',
    'repeat the command with --recipient, --passphrase-file, --passphrase-stdin or --no-encrypt',
  )
}

/** What opens this bundle, asked for at a terminal when no flag gives it. */
export async function openingOf(
  flags: Given<typeof openingFlags>,
  { encryption }: Pick<BackupReply<'inspect'>, 'encryption'>,
): Promise<{ passphrase?: string; identity?: string }> {
  const { 'passphrase-file': file, 'identity-file': identity, 'passphrase-stdin': piped } = flags
  if (!encryption.enabled) return {}
  if (identity) return { identity: inFile(identity as string) }
  if (encryption.recipients) return {}
  if (piped) return { passphrase: await secret('Passphrase of the backup', { piped: true }) }
  if (file) return { passphrase: inFile(file as string) }
  return interactive() ? { passphrase: await secret('Passphrase of the backup') } : {}
}
