import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createOutbound, type Outbound } from '#kernel/outbound/outbound'
import { ending } from './endings.ts'
import { closing, type TestDaemon } from './index.ts'

export interface Tree {
  [path: string]: string | Buffer | { executable: string } | { link: string }
}

// A commit of many files begins a collection of garbage that goes on behind it: its folder may be removed by then.
const identity = [
  '-c',
  'core.fsync=none',
  '-c',
  'gc.auto=0',
  '-c',
  'user.name=Ada',
  '-c',
  'user.email=ada@example.com',
  '-c',
  'commit.gpgsign=false',
]

/** A repository of these files, of which commands can be run. */
export function repository(files: Tree = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-git-'))
  ending(() => rmSync(folder, { recursive: true, force: true }))
  const git = (args: readonly string[], input?: string | Buffer): string =>
    execFileSync('git', [...identity, ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
      input: input ?? '',
      stdio: ['pipe', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
    })
      .toString()
      .trim()
  const put = (more: Tree) => {
    for (const [path, content] of Object.entries(more)) {
      const at = join(folder, path)
      mkdirSync(dirname(at), { recursive: true })
      if (typeof content === 'string' || Buffer.isBuffer(content)) writeFileSync(at, content)
      else if ('link' in content) symlinkSync(content.link, at)
      else {
        writeFileSync(at, content.executable)
        chmodSync(at, 0o755)
      }
    }
  }
  const commit = (more: Tree = {}): string => {
    put(more)
    git(['add', '-A'])
    git(['commit', '-q', '--allow-empty', '-m', 'x'])
    return git(['rev-parse', 'HEAD'])
  }
  git(['init', '-q', '-b', 'main'])
  commit(files)
  return { folder, git, put, commit }
}

interface Served {
  /** Whether the server leaves files out when it is asked to. */
  filters?: boolean
}

/** Serves a repository as git itself does over HTTP; the daemon reaches it at https://git.example/repo. */
export async function serveGit(it: Pick<TestDaemon, 'app'>, folder: string, { filters = true }: Served = {}) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url!, 'http://x')
    asked.push(`${request.method} ${pathname}`)
    const child = spawn('git', ['-c', `uploadpack.allowFilter=${filters}`, 'http-backend'], {
      env: {
        PATH: process.env['PATH'],
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'safe.directory',
        GIT_CONFIG_VALUE_0: '*',
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        PATH_INFO: pathname.replace('/repo', '/.git'),
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        REMOTE_ADDR: '127.0.0.1',
      },
    })
    request.pipe(child.stdin)
    const pieces: Buffer[] = []
    child.stdout.on('data', (piece: Buffer) => pieces.push(piece))
    child.on('close', () => {
      const all = Buffer.concat(pieces)
      const at = all.indexOf('\r\n\r\n')
      const lines = all.toString('latin1', 0, at).split('\r\n')
      const headers = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]))
      const { Status = '200', ...rest } = headers
      response.writeHead(Number.parseInt(Status, 10), rest).end(all.subarray(at + 4))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing({ close: () => new Promise<void>((resolve) => server.close(() => resolve())) })
  leadTo(it, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return { asked }
}

/** Leads the daemon's requests to https://git.example to a server on loopback, through its real client. */
export function leadTo(it: Pick<TestDaemon, 'app'>, base: string): void {
  const outbound = closing(createOutbound())
  const host = 'https://git.example'
  const send: Outbound['send'] = async (url, request) => {
    if (!url.startsWith(`${host}/`)) return outbound.send(url, request)
    const reply = await outbound.send(`${base}${url.slice(host.length)}`, { ...request, operator: true })
    // What it says is read when it is asked for.
    return Object.assign(Object.create(reply), { url: reply.url.replace(base, host) })
  }
  Object.assign(it.app, { outbound: { ...outbound, send } })
}
