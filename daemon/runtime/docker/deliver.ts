import { RuntimeError } from '../errors.ts'
import type { Delivery } from '../types.ts'
import type { Container } from './engine.ts'
import { run } from './exec.ts'

/** Runs as the agent, who may have put links in the way: they lead no further than the agent itself. */
const write = `set -e
umask 027
part="$1/.part-$$"
trap 'rm -f -- "$part"; rmdir -- "$1" 2>/dev/null || :' EXIT
mkdir -p -- "$1"
cat > "$part"
[ "$(wc -c < "$part")" -eq "$3" ] || { echo 'not all of the file arrived' >&2; exit 1; }
mv -f -- "$part" "$1/$2"`

/** Writes a file into a folder of an agent's. */
export async function deliverTo(container: Container, user: string, root: string, file: Delivery): Promise<void> {
  const argv = ['sh', '-c', write, 'sh', `${root}/${file.folder}`, file.name, String(file.size)]
  const content = file.content()
  const { code, stderr } = await run(container, { user, argv, stdin: content }).finally(() => content.destroy())
  if (code !== 0) throw new RuntimeError('refused', `The file could not be written: ${stderr.trim() || code}`)
}

/** Removes a folder of an agent's. */
export async function withdrawFrom(container: Container, user: string, folder: string): Promise<void> {
  const { code, stderr } = await run(container, { user, argv: ['rm', '-rf', '--', folder] })
  if (code !== 0) throw new RuntimeError('refused', `The files could not be removed: ${stderr.trim() || code}`)
}
