import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { shippedFolder } from '#kernel/shipped'

export interface Asset {
  type: string
  content: Buffer
}

export interface Files {
  /** Pages by name, as `login`. */
  pages: ReadonlyMap<string, Buffer>
  /** Styles and scripts by name with digest, as `style-0a1b2c3d4e.css`. */
  assets: ReadonlyMap<string, Asset>
}

const types: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

let read: Files | undefined

/** The files of the pages, read when the first page is asked for. */
export function pageFiles(): Files {
  read ??= readFiles(shippedFolder('pages'))
  return read
}

/** Reads pages and assets; every asset is known by its digest, and pages and scripts name it so. */
export function readFiles(folder: URL): Files {
  const names = readdirSync(folder).sort()
  const text = (name: string) => readFileSync(new URL(name, folder), 'utf8')
  const assets = new Map<string, Asset>()
  const renamed = new Map<string, string>()
  const written = (source: string) =>
    source.replace(
      /(["'])(?:\/assets\/|\.\/)([a-z-]+\.(?:css|js|svg))\1/g,
      (_, quote, name) => `${quote}/assets/${named(name)}${quote}`,
    )

  // A script is named by what it holds, the names of what it imports included.
  function named(name: string): string {
    const known = renamed.get(name)
    if (known) return known
    const content = Buffer.from(written(text(name)))
    const [stem, extension] = name.split('.') as [string, string]
    const made = `${stem}-${createHash('sha256').update(content).digest('hex').slice(0, 10)}.${extension}`
    renamed.set(name, made)
    assets.set(made, { type: types[extension]!, content })
    return made
  }

  const pages = new Map(
    names.filter((name) => name.endsWith('.html')).map((name) => [name.slice(0, -5), Buffer.from(written(text(name)))]),
  )
  return { pages, assets }
}
