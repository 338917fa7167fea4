import { existsSync, readFileSync } from 'node:fs'
import type { Static } from 'typebox'
import { parse } from 'yaml'
import type { Recipe } from '#contract/recipes'

// The build lays the file beside the daemon; from source it is where it is written.
const places = ['./recipes/', '../../../templates/recipes/'].map((path) => new URL(path, import.meta.url))

let read: readonly Static<typeof Recipe>[] | undefined

/** The recipes in the order in which they are shown, read when they are asked for the first time. */
export function catalogue(): readonly Static<typeof Recipe>[] {
  const folder = places.find((place) => existsSync(place)) ?? places[0]!
  read ??= parse(readFileSync(new URL('catalogue.yaml', folder), 'utf8')) as Static<typeof Recipe>[]
  return read
}
