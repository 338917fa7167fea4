import { createTwoFilesPatch } from 'diff'
import { stringify } from 'yaml'
import type { OpenJobs } from '#kernel/store/reads'

interface Side {
  name: string
  json: string
}

export interface Compared {
  from: Side
  to: Side
}

/** Milliseconds after which it is no longer looked for what two texts share. */
const longest = 1000

/** How two definitions differ, as YAML. Those that share little are shown one after the other. */
export function patchOf({ from, to }: Compared): string {
  const [before, after] = [from, to].map(({ json }) => stringify(JSON.parse(json))) as [string, string]
  return (
    createTwoFilesPatch(from.name, to.name, before, after, undefined, undefined, { timeout: longest }) ??
    replaced(from.name, to.name, linesOf(before), linesOf(after))
  )
}

const linesOf = (text: string) => text.replace(/\n$/, '').split('\n')

const replaced = (from: string, to: string, before: readonly string[], after: readonly string[]): string =>
  [
    `${'='.repeat(67)}\n--- ${from}\n+++ ${to}\n@@ -1,${before.length} +1,${after.length} @@`,
    ...before.map((line) => `-${line}`),
    ...after.map((line) => `+${line}`),
    '',
  ].join('\n')

/** Comparing large definitions, for the thread that does long work. */
export const openPatchJobs: OpenJobs = () => ({ run: { routinePatch: patchOf }, grown: () => false })
