import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { type Connection, locate } from '#client'
import type { attachments } from '#contract/attachments'
import type { Reply } from '#contract/define'
import { fileBytes, InputError } from './input.ts'
import { formOf } from './multipart.ts'

export type Uploaded = Reply<typeof attachments.create>

/** What the service takes. */
const most = 25 * 1024 * 1024
const patienceMs = 10 * 60_000

/** Why a file of this machine cannot be uploaded; undefined when it can. */
export function fileFlaw(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return `There is no file ${path}.`
  if (!found.isFile()) return `${path} is no file.`
  return found.size > most ? `${path} is larger than 25 MB.` : undefined
}

/** Gives a file of this machine to a chat. */
export async function upload(
  connection: Connection,
  { agentId, chatId, file }: { agentId: string; chatId: string; file: string },
): Promise<Uploaded> {
  const flaw = fileFlaw(file)
  if (flaw) throw new InputError(flaw)
  const { method, path } = locate('attachments.create', { agentId, chatId })
  const { type, body } = formOf(fileBytes(file), basename(file))
  const reply = await connection.request(method, path, { body, headers: { 'content-type': type }, timeout: patienceMs })
  return JSON.parse(String(reply.body)) as Uploaded
}
