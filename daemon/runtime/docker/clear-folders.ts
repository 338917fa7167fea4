import { RuntimeError } from '../errors.ts'
import type { AgentPlaces } from '../types.ts'
import type { Container } from './engine.ts'
import { type Ran, run } from './exec.ts'

/**
 * Only its owner may look into a folder, and only root may remove it from where it lies: nobody here may do everything.
 */
const empty = ['sh', '-c', 'chmod -R u+rwx -- "$@" 2>/dev/null; rm -rf -- "$@" 2>/dev/null; exit 0', 'sh']
const drop = ['sh', '-c', 'for it; do [ ! -e "$it" ] || rmdir -- "$it" || exit 1; done', 'sh']

/** Takes away the secrets of an agent that has no process any more, and with `data` all that it had. */
export async function clearFolders(
  container: Container,
  user: string,
  places: AgentPlaces,
  data: boolean,
): Promise<void> {
  const { secrets, runs, output, workspace, home } = places
  const folders = data ? [runs, output, workspace, home] : []
  checked(await run(container, { user, argv: [...empty, secrets, ...folders] }))
  if (data) checked(await run(container, { user: '0:0', argv: [...drop, ...folders] }))
  // In a crew's container it may be a mount of its own, which stays as long as the container does.
  await run(container, { user: '0:0', argv: [...drop, secrets] })
}

function checked({ code, stderr }: Ran): void {
  if (code !== 0)
    throw new RuntimeError('refused', `Folders of an agent could not be removed: ${stderr.trim() || code}`)
}
