import { Flags } from '@oclif/core'
import type { Printer } from '../output/printer.ts'
import { secretFile } from '../output/secret-file.ts'

interface Made {
  token: string
  id: string
  name: string
  expires_at?: string
}

export const outputFileFlag = {
  'output-file': Flags.string({
    helpValue: 'FILE',
    description: 'write the token to this file, which only you can read',
  }),
}

/** Makes a token and hands it over, this once: to standard output, or to a file. */
export async function handOver<T extends Made>(
  out: Printer,
  path: string | undefined,
  make: () => Promise<T>,
): Promise<void> {
  const file = path === undefined ? undefined : secretFile(path)
  const made = await make().catch((error: unknown) => {
    file?.drop()
    throw error
  })
  const kept = file !== undefined && keep(out, file, path!, made.token)
  const { token, ...described } = made
  if (out.wanted.format !== 'auto' && out.wanted.format !== 'name') return out.value(kept ? described : made)
  const until = made.expires_at ? `until ${made.expires_at}` : 'until it is revoked'
  out.note(`Token ${made.id} (${made.name}) is good ${until}. ${kept ? `It is in ${path}.` : 'It is shown this once:'}`)
  if (!kept) out.text(`${token}\n`)
}

/** The token is there already: when the disk is full it is shown rather than lost. */
function keep(out: Printer, file: ReturnType<typeof secretFile>, path: string, token: string): boolean {
  try {
    file.keep(`${token}\n`)
    return true
  } catch (error) {
    file.drop()
    out.note(`${path} could not be written: ${(error as Error).message}`, 'red')
    return false
  }
}
