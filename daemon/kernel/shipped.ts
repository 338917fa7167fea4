import { existsSync } from 'node:fs'

/** A folder of templates/: the build lays it beside the daemon; from source it is where it is written. */
export function shippedFolder(name: string): URL {
  const places = [`./${name}/`, `../../templates/${name}/`].map((path) => new URL(path, import.meta.url))
  return places.find((place) => existsSync(place)) ?? places[0]!
}
