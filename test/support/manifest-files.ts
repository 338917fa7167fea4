import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ending } from './endings.ts'

/** A folder with these files. */
export function folder(files: Record<string, string>): string {
  const at = mkdtempSync(join(tmpdir(), 'muster-files-'))
  ending(() => rmSync(at, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(at, name, '..'), { recursive: true })
    writeFileSync(join(at, name), text)
  }
  return at
}

/** The first lines of a document. */
export const head = (kind: string, slug: string) => `apiVersion: svc/v1\nkind: ${kind}\nmetadata:\n  slug: ${slug}\n`
