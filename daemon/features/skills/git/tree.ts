import type { GitObject } from './pack.ts'
import { BadRepository } from './packets.ts'

/** Where no skill is looked for. */
const skipped = new Set(['.git', 'node_modules', 'vendor'])
const [mostEntries, mostDepth] = [200_000, 20]

export interface TreeFile {
  /** Below the root of the repository. */
  path: string
  id: string
  kind: 'file' | 'executable' | 'link' | 'submodule'
}

/** Everything that stands in a commit, the folders in the order of their names. */
export function filesOf(objects: ReadonlyMap<string, GitObject>, commit: string): TreeFile[] {
  const at = objects.get(commit)
  const root = at?.type === 'commit' ? /^tree ([0-9a-f]{40})\n/.exec(at.data.toString('latin1', 0, 46))?.[1] : undefined
  if (!root) throw new BadRepository('It has no such commit')
  const found: TreeFile[] = []
  // Folders count as well: one that holds another many times over is small, and all of it is endless.
  let seen = 0
  walk(root, '', 0)
  return found

  function walk(id: string, above: string, depth: number): void {
    const tree = objects.get(id)
    if (tree?.type !== 'tree') throw new BadRepository('It sent a commit without its folders')
    if (depth > mostDepth) throw new BadRepository(`Its folders are more than ${mostDepth} deep`)
    for (const { mode, name, id: child } of entriesOf(tree.data)) {
      if (++seen > mostEntries) throw new BadRepository(`It has more than ${mostEntries} files and folders`)
      if (skipped.has(name)) continue
      const path = `${above}${name}`
      if (mode === '40000') walk(child, `${path}/`, depth + 1)
      else found.push({ path, id: child, kind: kinds[mode] ?? 'file' })
    }
  }
}

const kinds: Readonly<Record<string, TreeFile['kind']>> = {
  '100755': 'executable',
  '120000': 'link',
  '160000': 'submodule',
}

function* entriesOf(data: Buffer): Generator<{ mode: string; name: string; id: string }> {
  let at = 0
  while (at < data.length) {
    const [space, end] = [data.indexOf(0x20, at), data.indexOf(0, at)]
    if (space < 0 || end < space || end + 21 > data.length) throw new BadRepository('What it sent is broken')
    const mode = data.toString('latin1', at, space)
    const name = data.toString('utf8', space + 1, end)
    if (name === '' || name === '.' || name === '..' || name.includes('/'))
      throw new BadRepository('It has a file or folder that leads out of it')
    yield { mode, name, id: data.toString('hex', end + 1, end + 21) }
    at = end + 21
  }
}
