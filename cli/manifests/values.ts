import { fileBytes, InputError, interactive, secret } from '../input.ts'
import type { Plan } from './planning.ts'

interface From {
  'from-env'?: boolean
  'secrets-file'?: string | undefined
}

/** Values of credentials that are new: of the environment, of a file of `NAME=value` lines, or typed unseen. */
export async function valuesFor(needs: Plan['needs'], from: From): Promise<Record<string, string>> {
  const given = { ...(from['secrets-file'] && pairsIn(from['secrets-file'])), ...(from['from-env'] && process.env) }
  const values: Record<string, string> = {}
  for (const { env, label, help_url, required } of needs) {
    const value = given[env]
    if (value) values[env] = value
    else if (required) values[env] = await asked(env, label, help_url)
  }
  return values
}

async function asked(env: string, label: string | null, help: string | null): Promise<string> {
  const called = label ? `${env} (${label})` : env
  if (!interactive())
    throw new InputError(
      `The new credential ${called} has no value.`,
      `set ${env} and repeat with --from-env, or with --secrets-file FILE`,
    )
  return secret(`Value of ${called}${help ? `, see ${help}` : ''}`)
}

/** Lines of `NAME=value`; what follows the first `=` is taken as it stands. */
function pairsIn(file: string): Record<string, string> {
  const pairs: Record<string, string> = {}
  for (const [index, line] of textIn(file).split(/\r?\n/).entries()) {
    if (!line.trim() || line.startsWith('#')) continue
    const at = line.indexOf('=')
    // What stands there may be a secret, so it is not repeated.
    if (at < 1) throw new InputError(`${file}:${index + 1} is not NAME=value.`)
    pairs[line.slice(0, at).trim()] = line.slice(at + 1)
  }
  return pairs
}

/** A file of secrets without the mark that some editors put before a text. */
const textIn = (file: string): string =>
  fileBytes(file)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
