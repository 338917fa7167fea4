import { RuntimeError } from '../errors.ts'
import type { AgentPlaces } from '../types.ts'
import type { Container } from './engine.ts'
import { type Ran, run } from './exec.ts'

/** Only a folder's owner may read it, and only root may remove it from its parent, so two users are needed. */
const empty = ['sh', '-c', 'chmod -R u+rwx -- "$@" 2>/dev/null; rm -rf -- "$@" 2>/dev/null; exit 0', 'sh']
const drop = ['sh', '-c', 'for it; do [ ! -e "$it" ] || rmdir -- "$it" || exit 1; done', 'sh']

/** Removes the secrets of an agent without processes, and with `data` all its folders. */
export async function clearFolders(
  container: Container,
  user: string,
  places: AgentPlaces,
  data: boolean,
): Promise<void> {
  const { secrets, runs, output, workspace, home } = places
  const folders = data ? [runs, output, workspace, home] : []
  await emptyAs(container, user, [secrets, ...folders])
  if (data) await removeEmpty(container, folders)
  // It may be a mount, which stays as long as the container.
  await run(container, { user: '0:0', argv: [...drop, secrets] })
}

/** Removes all that is in folders of a user. */
export async function emptyAs(container: Container, user: string, folders: readonly string[]): Promise<void> {
  checked(await run(container, { user, argv: [...empty, ...folders] }))
}

/** Removes empty folders; those that are not there are none. */
export async function removeEmpty(container: Container, folders: readonly string[]): Promise<void> {
  checked(await run(container, { user: '0:0', argv: [...drop, ...folders] }))
}

function checked({ code, stderr }: Ran): void {
  if (code !== 0)
    throw new RuntimeError('refused', `Folders of an agent could not be removed: ${stderr.trim() || code}`)
}
