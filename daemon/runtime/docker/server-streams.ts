import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { type Duplex, PassThrough, type Readable, type Writable } from 'node:stream'
import { RuntimeError } from '../errors.ts'
import { OutputBuffer } from '../output-buffer.ts'
import { demultiplex } from './attach.ts'
import { asking, type Container, statusOf } from './engine.ts'

const stderrBytes = 8 * 1024

/**
 * Takes the server's variables from its input, up to a line that is the mark: on a command line others could read them.
 * Ends all other processes of its user when the server has ended, since they could hold its streams open.
 */
const serve = `umask 077
mark=$1 given= line=
shift
rm -rf "$TMPDIR"
mkdir "$TMPDIR" || exit 70
cd "$HOME" || exit 70
unset OLDPWD
while IFS= read -r line && [ "$line" != "$mark" ]; do given="$given$line
"; done
[ "$line" = "$mark" ] || exit 70
eval "$given"
exec 3<&0 </dev/null
"$@" <&3 3<&- &
exec 3<&-
wait "$!"
code=$?
kill -s KILL -- -1 2>/dev/null
exit "$code"`

/** Of the variables of the image, PATH alone. */
const clean = 'exec env -i "PATH=$PATH" "$@"'

/** A server as it is started. */
export interface Starting {
  uid: number
  home: string
  argv: readonly string[]
  /** In the environment of what starts it, where others may read them. */
  open: Record<string, string>
  /** The server's own. */
  env: Record<string, string>
}

export interface Streams {
  input: Writable
  output: Readable
  /** Settles when nobody holds its streams any more; never rejects. */
  closed: Promise<{ code: number | null; stderr: string }>
  /** Lets go of it, whether it has ended or not. */
  drop(): void
}

/** Starts a server in a crew's container, as its own user. */
export async function startStreams(container: Container, { uid, home, argv, open, env }: Starting): Promise<Streams> {
  const mark = randomBytes(16).toString('hex')
  const around = Object.entries({ HOME: home, TMPDIR: `${home}/.tmp`, LANG: 'C.UTF-8', TZ: 'UTC', ...open })
  const variables = around.map(([name, value]) => `${name}=${value}`)
  const refused = (error: unknown) => {
    if (statusOf(error) === 409)
      throw new RuntimeError('not_running', "The crew's container is not running", { cause: error })
    throw error
  }
  const { exec, stream } = await asking('starting a server in a crew', async () => {
    const made = await container
      .exec({
        User: `${uid}:${uid}`,
        Cmd: ['sh', '-c', clean, 'sh', ...variables, 'sh', '-c', serve, 'sh', mark, ...argv],
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
      })
      .catch(refused)
    return {
      exec: made,
      stream: (await made.start({ hijack: true, stdin: true }).catch(refused)) as unknown as Duplex,
    }
  })
  const output = new PassThrough()
  const said = new OutputBuffer(stderrBytes)
  output.on('drain', () => stream.resume())
  stream.on(
    'data',
    demultiplex((source, chunk) => {
      if (source === 2) said.add(Buffer.from(chunk))
      else if (!output.write(Buffer.from(chunk))) stream.pause()
    }),
  )
  stream.on('end', () => stream.destroy())
  // What breaks the connection also closes it.
  stream.on('error', () => stream.destroy())
  const closed = new Promise<{ code: number | null; stderr: string }>((resolve) => {
    stream.on('close', async () => {
      output.end()
      const code = await exec.inspect().then(
        ({ ExitCode }) => ExitCode,
        () => null,
      )
      resolve({ code, stderr: said.lastLines() })
    })
  })
  stream.write(`${Object.entries(env).map(assignment).join('')}${mark}\n`)
  return { input: stream, output, closed, drop: () => stream.destroy() }
}

const assignment = ([name, value]: [string, string]): string => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`
