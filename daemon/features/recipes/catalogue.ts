import { readFileSync } from 'node:fs'
import type { Static } from 'typebox'
import { parse } from 'yaml'
import type { Recipe } from '#contract/recipes'
import { shippedFolder } from '#kernel/shipped'

let read: readonly Static<typeof Recipe>[] | undefined

/** The recipes in the order in which they are shown, read when they are asked for the first time. */
export function catalogue(): readonly Static<typeof Recipe>[] {
  read ??= parse(readFileSync(new URL('catalogue.yaml', shippedFolder('recipes')), 'utf8')) as Static<typeof Recipe>[]
  return read
}
