/** Name and slug of a workspace that nobody chose. */
export function defaultWorkspace(fullName: string, email: string, tail: string): { name: string; slug: string } {
  const end = `-${tail}`
  const head =
    email
      .split('@', 1)[0]!
      .replace(/[^a-z0-9-]/g, '-')
      .replace(/^-+/, '') || 'workspace'
  const suffix = "'s Workspace"
  return {
    name: [...fullName].slice(0, 100 - suffix.length).join('') + suffix,
    slug: head.slice(0, 50 - end.length) + end,
  }
}
