import type { CollisionKind } from '#contract/collisions'

/** What two runs may write both: a file, or what is named in a git repository. */
export interface Thing {
  kind: CollisionKind
  path: string
  /** The work tree, or the repository where it is bare. */
  repository?: string
  branch?: string
}

const inGit = /^(.*?)(\/\.git|\.git)\/(index|HEAD|packed-refs|refs\/heads\/(.+)|worktrees\/([^/]+)\/(index|HEAD))$/s

/** What a path stands for. */
export function thingAt(path: string): Thing {
  const [, before = '', folder, file, branch, tree, treeFile] = inGit.exec(path) ?? []
  if (!file) return { kind: 'file', path }
  const repository = folder === '/.git' ? before : `${before}.git`
  const place = tree ? `${repository} (${tree})` : repository
  if ((treeFile ?? file) === 'index') return { kind: 'git_index', path, repository: place }
  return { kind: 'git_branch', path, repository: place, branch: branch ?? treeFile ?? file }
}
