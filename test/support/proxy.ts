import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'

/** The address that people type, by the documentation. */
export const site = 'muster.example.com'

const page = readFileSync(new URL('../../docs/tls-proxy.md', import.meta.url), 'utf8')

/** The blocks of a language in docs/tls-proxy.md. */
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text]) => text!)

/** Replaces what differs on this machine; a text that is not there any more is a mistake of the test. */
function put(text: string, ...changes: [string | RegExp, string][]): string {
  return changes.reduce((done, [from, to]) => {
    const next = done.replaceAll(typeof from === 'string' ? from : new RegExp(from, 'g'), to)
    if (next === done) throw new Error(`docs/tls-proxy.md has no ${from} where one is expected`)
    return next
  }, text)
}

const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

/** Why a proxy cannot be tried here; false when it can. */
export const proxyMissing = (program: 'nginx' | 'caddy'): string | false =>
  has(program) && has('openssl')
    ? false
    : `there is no ${program} or no openssl here. Debian: apt-get install nginx-light caddy openssl`

/** An address of this machine that is not loopback, as a client elsewhere has; undefined where there is none. */
export const elsewhere: string | undefined = Object.values(networkInterfaces())
  .flat()
  .find((it) => it && it.family === 'IPv4' && !it.internal)?.address

export interface TlsProxy {
  /** Where it takes TLS connections, on 127.0.0.1. */
  port: number
  /** Where it takes plain ones. */
  plainPort: number
  /** PEM file that its clients must trust. */
  ca: string
  close(): Promise<void>
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

/** A folder with the certificate that the page's own command makes. */
function certified(): string {
  const dir = mkdtempSync(join(tmpdir(), 'muster-proxy-'))
  const command = blocks('sh').find((text) => text.startsWith('openssl req'))!
  execFileSync('sh', ['-ec', put(command, ['/etc/muster/tls', dir])], { stdio: 'pipe' })
  return dir
}

/** Waits for the words that a program says when it is ready. */
async function ready(child: ChildProcess, words: string): Promise<void> {
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr!.on('data', (chunk: Buffer) => {
      said += chunk
      if (said.includes(words)) resolve()
    })
    child.on('exit', () => reject(new Error(`The proxy ended:\n${said}`)))
    child.on('error', reject)
  })
}

async function running(
  program: string,
  args: string[],
  words: string,
  dir: string,
  ports: [number, number],
): Promise<TlsProxy> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', HOME: dir, XDG_DATA_HOME: dir },
  })
  const ended = once(child, 'exit')
  await ready(child, words)
  return {
    port: ports[0],
    plainPort: ports[1],
    ca: join(dir, 'fullchain.pem'),
    async close() {
      child.kill('SIGTERM')
      await ended
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** nginx in front of `backend` (`127.0.0.1:8080`), with the page's configuration and these further changes of it. */
export async function startNginx(backend: string, ...changes: [string | RegExp, string][]): Promise<TlsProxy> {
  const [port, plainPort] = (await freePorts(2)) as [number, number]
  const dir = certified()
  for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(dir, name))
  const text = put(
    blocks('nginx')[0]!,
    ['127.0.0.1:8080', backend],
    ['/etc/muster/tls', dir],
    ['listen 443', `listen 127.0.0.1:${port}`],
    ['listen [::]:443', `listen [::1]:${port}`],
    ['listen 80', `listen 127.0.0.1:${plainPort}`],
    ['listen [::]:80', `listen [::1]:${plainPort}`],
    ...changes,
  )
  writeFileSync(join(dir, 'muster.conf'), text)
  const temporary = [
    'client_body_temp_path body',
    'proxy_temp_path proxy',
    'fastcgi_temp_path fastcgi',
    'uwsgi_temp_path uwsgi',
    'scgi_temp_path scgi',
  ]
  const whole = [
    ...(process.getuid!() === 0 ? ['user root;'] : []),
    'daemon off;',
    `pid ${dir}/nginx.pid;`,
    'error_log stderr notice;',
    'worker_processes 1;',
    'events {}',
    `http { access_log off; ${temporary.map((it) => it.replace(' ', ` ${dir}/`)).join('; ')}; include ` +
      `${dir}/muster.conf; }`,
  ]
  writeFileSync(join(dir, 'nginx.conf'), `${whole.join('\n')}\n`)
  return running('nginx', ['-e', 'stderr', '-p', dir, '-c', join(dir, 'nginx.conf')], 'start worker process ', dir, [
    port,
    plainPort,
  ])
}

/** Caddy in front of `backend`, with the page's configuration. */
export async function startCaddy(backend: string): Promise<TlsProxy> {
  const [port, plainPort] = (await freePorts(2)) as [number, number]
  const dir = certified()
  const [whole, tls] = blocks('caddyfile') as [string, string]
  const own = put(tls, ['/etc/muster/tls', dir])
  const text = put(whole, ['127.0.0.1:8080', backend], [`${site} {\n`, `${site}, localhost {\n${own}`])
  const machine =
    `{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\thttps_port ${port}\n\thttp_port ${plainPort}\n\tlog {\n\t\toutput ` +
    'stderr\n\t\tformat json\n\t\tlevel INFO\n\t}\n}\n\n'
  writeFileSync(join(dir, 'Caddyfile'), machine + text)
  return running(
    'caddy',
    ['run', '--config', join(dir, 'Caddyfile'), '--adapter', 'caddyfile'],
    'serving initial configuration',
    dir,
    [port, plainPort],
  )
}

export interface Answered {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  text: string
}

export interface Asked {
  method?: string
  headers?: OutgoingHttpHeaders
  body?: string | Buffer
  /** Address of this machine that the request comes from. */
  from?: string
}

/** One request for the site, as a browser or program somewhere else makes it. */
export function through(
  proxy: TlsProxy,
  path: string,
  { method = 'GET', headers = {}, body, from = '127.0.0.2' }: Asked = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: proxy.port,
        localAddress: from,
        servername: site,
        ca: readFileSync(proxy.ca),
        agent: false,
        method,
        path,
        headers: { host: site, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }), ...headers },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const bytes = Buffer.concat(chunks)
          resolve({ status: response.statusCode!, headers: response.headers, bytes, text: bytes.toString() })
        })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The answer on the plain port. */
export function withoutTls(proxy: TlsProxy, path: string): Promise<{ status: number; headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    const sent = plainRequest(
      { host: '127.0.0.1', port: proxy.plainPort, agent: false, path, headers: { host: site } },
      (response) => {
        response.resume()
        resolve({ status: response.statusCode!, headers: response.headers })
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}
