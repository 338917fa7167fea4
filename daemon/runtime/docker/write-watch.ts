import type { Duplex } from 'node:stream'
import { RuntimeError } from '../errors.ts'
import type { WriteSink, WriteWatch } from '../types.ts'
import { demultiplex } from './attach.ts'
import { asking, type Container, engineError } from './engine.ts'
import { ids } from './names.ts'
import { readWriteLines } from './write-lines.ts'

/** What the agents of a crew share. Everything else belongs to one of them, and the others cannot look into it. */
export const sharedFolders = ['/crew/shared', '/workspace/shared']

const missing = 'the image of the crew has no perl'
/** Whoever holds its standard input no more ends it: a daemon that dies leaves nothing behind. */
const begin = `command -v perl >/dev/null || { echo '${missing}' >&2; exit 1; }
exec perl /opt/muster/watch-writes.pl "$@"`

/** Watches the shared folders of a crew's container until it is closed. */
export function watchWrites(
  within: (work: (container: Container) => Promise<Duplex>) => Promise<Duplex>,
  since: number,
  sink: WriteSink,
): WriteWatch {
  let over = false
  let stream: Duplex | null = null
  let said = ''
  const end = (reason: string) => {
    stream?.destroy()
    if (over) return
    over = true
    sink.ended(reason)
  }
  const read = readWriteLines(sharedFolders, sink)
  const hear = demultiplex((source, chunk) => {
    if (source === 2) said = `${said}${chunk.toString('utf8')}`.slice(0, 300)
    else if (!over && !read(chunk)) end('what watches them said something else')
  })
  within((container) => start(container, since)).then(
    (started) => {
      stream = started
      if (over) return void started.end()
      started.on('data', hear)
      started.on('end', () => end(said.trim() || 'what watches them has ended'))
      started.on('close', () => end('the connection to the crew closed'))
      started.on('error', (error) => end(error.message))
    },
    (error: unknown) => end(engineError(error, 'watching shared folders').message),
  )
  return {
    close() {
      over = true
      stream?.end()
    },
  }
}

async function start(container: Container, since: number): Promise<Duplex> {
  return asking('watching shared folders', async () => {
    const exec = await container.exec({
      User: `${ids.writes}:${ids.crewGroup}`,
      Cmd: ['sh', '-c', begin, 'sh', String(Math.ceil((Date.now() - since) / 1000)), ...sharedFolders],
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
    })
    const stream = await exec.start({ hijack: true, stdin: true }).catch((error: { statusCode?: number }) => {
      if (error.statusCode === 409) throw new RuntimeError('not_running', "The crew's container is not running")
      throw error
    })
    return stream as unknown as Duplex
  })
}
