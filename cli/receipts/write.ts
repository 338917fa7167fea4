import { accessSync, constants, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Flags } from '@oclif/core'
import type { Client } from '#client'
import { writeNew } from '../files.ts'
import { InputError } from '../input.ts'
import { patiently, runPatience } from '../patiently.ts'

export const receiptFlag = {
  receipt: Flags.string({
    helpValue: 'FILE',
    description: 'write a signed receipt of the run to this file, however it ends',
  }),
}

/** Refuses a place to which no receipt could be written, before anything is asked of an agent. */
export function checkPlace(to: string): void {
  const stats = statSync(to, { throwIfNoEntry: false })
  try {
    if (stats?.isDirectory()) throw new Error('it is a folder')
    accessSync(stats ? to : dirname(resolve(to)), constants.W_OK)
  } catch (error) {
    throw new InputError(`--receipt ${to} cannot be written: ${(error as Error).message}`)
  }
}

/** Writes the receipt of a run that is over to a file, over one that is there. */
export async function writeReceipt(api: Client, runId: string, to: string): Promise<void> {
  const envelope = await patiently(() => api.runs.receipt({ runId }), runPatience)
  writeNew(to, `${JSON.stringify(envelope)}\n`, { force: true })
}
