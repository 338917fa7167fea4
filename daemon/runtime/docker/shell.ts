import type { Duplex } from 'node:stream'
import { RuntimeError } from '../errors.ts'
import { runEnvironment } from '../spool/environment.ts'
import type { AgentPlaces, ShellProgram, ShellSize } from '../types.ts'
import { asking, type Container, statusOf } from './engine.ts'

/** Ends whatever carries the shell's mark once nobody holds its standard input: the daemon is gone, or wants it. */
const guard = `while read -r _; do :; done
tries=0
while [ $tries -lt 100 ]; do
  tries=$((tries + 1)) left=
  for it in $(grep -lszxF -- "SVC_RUN_ID=$1" /proc/[0-9]*/environ); do
    it=\${it#/proc/}; it=\${it%/environ}
    [ "$it" = $$ ] || { kill -s KILL "$it" 2>/dev/null && left=1; }
  done
  [ -n "$left" ] || exit 0
  sleep 0.05
done`

const login = 'cd "$SVC_OUTPUT_DIR" || cd /; if command -v bash >/dev/null; then exec bash -i; else exec sh -i; fi'

/** Starts a shell at a terminal of its own. Its mark is that of a run, so that the ends of other runs spare it. */
export async function openShell(
  container: Container,
  user: string,
  places: AgentPlaces,
  id: string,
  { rows, cols }: ShellSize,
): Promise<ShellProgram> {
  const env = Object.entries({ ...runEnvironment(places, { TERM: 'xterm-256color', LANG: 'C.UTF-8' }), SVC_RUN_ID: id })
  const shared = { User: user, Env: env.map(([name, value]) => `${name}=${value}`), AttachStdin: true }
  const watch = await start(container, {
    ...shared,
    Cmd: ['sh', '-c', guard, 'sh', id],
    AttachStdout: true,
    AttachStderr: true,
  })
  try {
    const { exec, stream } = await start(container, {
      ...shared,
      Cmd: ['sh', '-c', login],
      AttachStdout: true,
      AttachStderr: true,
      Tty: true,
      ConsoleSize: [rows, cols],
    })
    stream.on('close', () => watch.stream.end())
    const resize = (size: ShellSize) =>
      asking('resizing a terminal', () => exec.resize({ h: size.rows, w: size.cols })).then(() => undefined)
    await resize({ rows, cols }).catch(() => {})
    return { stream, resize, close: () => stream.destroy() }
  } catch (error) {
    watch.stream.end()
    throw error
  }
}

type Wanted = Parameters<Container['exec']>[0]

async function start(container: Container, wanted: Wanted & { ConsoleSize?: number[] }) {
  const refused = (error: unknown) => {
    if (statusOf(error) === 409)
      throw new RuntimeError('not_running', "The crew's container is not running", { cause: error })
    throw error
  }
  return asking('opening a shell', async () => {
    const exec = await container.exec(wanted).catch(refused)
    const options = { hijack: true, stdin: true, ...(wanted.Tty && { Tty: true }) }
    const stream = (await exec.start(options).catch(refused)) as unknown as Duplex
    stream.on('error', () => stream.destroy())
    stream.on('end', () => stream.destroy())
    if (!wanted.Tty) stream.resume()
    return { exec, stream }
  })
}
