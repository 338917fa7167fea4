import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Cancelled, InputError, interactive } from './input.ts'

export interface Draft {
  /** Where it is on this machine. */
  file: string
  content: Buffer
  /** Removes it. */
  drop(): void
}

/** The text as the person left it in their editor; `instead` is what to type where there is no terminal. */
export async function edited(text: string, name: string, instead: string): Promise<string> {
  if (!interactive()) throw new InputError('An editor needs a terminal.', instead)
  const draft = await editDraft(name, Buffer.from(text))
  draft.drop()
  return draft.content.toString('utf8')
}

/**
 * Lets the person change some content in their editor; throws when the editor fails. The file has the name that the
 * path ends with, by which editors know its language.
 */
export async function editDraft(path: string, content: Buffer): Promise<Draft> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-edit-'))
  const drop = () => rmSync(folder, { recursive: true, force: true })
  const file = join(folder, basename(path))
  try {
    writeFileSync(file, content, { mode: 0o600 })
    const end = await open(file)
    if (end !== 0) throw new Cancelled(`The editor ended with ${end}. Nothing was changed.`)
    return { file, content: readFileSync(file), drop }
  } catch (error) {
    drop()
    throw error
  }
}

/** The editor may be a command line with arguments, as git takes it. */
function open(file: string): Promise<number | string> {
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi'
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$@"`, editor, file], { stdio: 'inherit' })
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'nothing'))
  })
}
