import { InputError } from '../input.ts'
import { storedSecret } from '../webhooks/target.ts'

/**
 * The address of a judge, with the key of a file before its host. A key on the command line is refused: others see
 * command lines.
 */
export async function withKey(endpoint: string | undefined, file: string | undefined): Promise<string | undefined> {
  if (!endpoint || !URL.canParse(endpoint)) return endpoint
  const url = new URL(endpoint)
  if (url.username || url.password)
    throw new InputError(
      '--endpoint takes no user or key: command lines are visible to others.',
      'put the key in a file and repeat with --key-file FILE',
    )
  if (file === undefined) return endpoint
  url.username = encodeURIComponent(await storedSecret(file, 'key-file'))
  return url.href
}
