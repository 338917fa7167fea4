import { Flags } from '@oclif/core'
import { type Client, type Connection, createClient } from '#client'
import type { Input, Reply } from '#contract/define'
import type { DryRun } from '#contract/dry-run'
import type { manifests } from '#contract/manifests'
import { Tried, tryingOnly } from '../changing.ts'
import { InputError } from '../input.ts'
import { placed } from './mistakes.ts'
import { type Manifest, readManifests } from './reading.ts'
import { withTexts } from './texts.ts'

export type Plan = Reply<typeof manifests.apply>
export type Wishes = Omit<Input<typeof manifests.apply>['body'], 'documents' | 'digest'>

/** Flags of what compares files with a workspace. */
export const planFlags = {
  file: Flags.string({
    char: 'f',
    required: true,
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'FILE',
    description: 'file or folder of YAML or JSON documents; - reads standard input',
  }),
  strict: Flags.boolean({ exclusive: ['replace'], description: 'refuse what is there already and differs' }),
  replace: Flags.boolean({ description: 'destroy what the files do not name, of the kinds that they hold' }),
  'no-delete': Flags.boolean({ description: 'destroy nothing' }),
  'skip-test-gate': Flags.boolean({ helpGroup: 'MORE', description: 'save routines without a test' }),
}

interface Given {
  strict?: boolean
  replace?: boolean
  'no-delete'?: boolean
  'skip-test-gate'?: boolean
}

export const wishesOf = (flags: Given): Wishes => ({
  mode: flags.strict ? 'strict' : flags.replace ? 'replace' : 'upsert',
  ...(flags['no-delete'] && { delete: false }),
  ...(flags['skip-test-gate'] && { skip_test_gate: true }),
})

/** The documents of files, with the texts of the files that they name. */
export async function manifestsIn(files: readonly string[]): Promise<Manifest[]> {
  const found = await readManifests(files)
  withTexts(found)
  return found
}

export const documentsOf = (found: readonly Manifest[]) => found.map(({ value }) => value)

/** Milliseconds for a plan and for an apply, which may be large and fetch skills. */
export const applyMs = 600_000

/** What an apply would do; nothing is changed. `trying` only tries changes. */
export async function planOf(
  { trying, workspaceId }: { trying: Client; workspaceId: string },
  found: readonly Manifest[],
  wishes: Wishes,
): Promise<Plan> {
  try {
    const body = { ...wishes, documents: documentsOf(found) }
    await placed(found, trying.manifests.apply({ workspaceId, body }, { timeout: applyMs }))
  } catch (error) {
    if (error instanceof Tried) return (error.outcome.answer as DryRun).body as Plan
    throw error
  }
  throw new InputError('The server made no plan.')
}

/** A client that only tries changes. */
export const tryingOn = (connection: Connection): Client => createClient(tryingOnly(connection))
