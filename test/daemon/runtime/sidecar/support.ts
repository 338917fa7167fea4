import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Ask } from '#runtime/sidecar/control'
import { startSidecar } from '#runtime/sidecar/server'
import type { ModelCredential, SidecarConfig, SidecarReport } from '#runtime/types'
import { ending } from '../../../support/endings.ts'

/** Does this when the test ends. */
export const onEnd = ending

/** A web server on loopback that answers by `listener` and closes with the test. */
export async function server(listener: RequestListener): Promise<{ url: string; port: number; http: Server }> {
  const http = createServer(listener).listen(0, '127.0.0.1')
  await once(http, 'listening')
  onEnd(() => new Promise((closed) => http.close(closed).closeAllConnections()))
  const { port } = http.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, http }
}

export interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** A stand-in vendor that records what arrives and answers as told, 200 `{}` by default. */
export async function vendor(
  answer: (
    seen: Seen,
    count: number,
  ) => { status?: number; headers?: Record<string, string>; body?: string } = () => ({}),
) {
  const seen: Seen[] = []
  const it = await server(async (req, res) => {
    const body = await text(req).catch(() => null)
    if (body === null) return // the sidecar broke off
    const one = { method: req.method!, url: req.url!, headers: req.headers, body }
    seen.push(one)
    const { status = 200, headers = {}, body: reply = '{}' } = answer(one, seen.length)
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(reply)
  })
  return { ...it, seen }
}

export const credential = (provider: string, token: string, more: Partial<ModelCredential> = {}): ModelCredential => ({
  credentialId: `cred-${token}`,
  provider,
  kind: 'api_key',
  token,
  priority: 1,
  ...more,
})

export const config = (
  credentials: ModelCredential[],
  upstreams: Record<string, string>,
  more: Partial<SidecarConfig> = {},
): SidecarConfig => ({
  network: { mode: 'restricted', allowedDomains: [], allowPrivateEndpoints: false },
  agents: { 'dummy-ada': { agentId: 'agent-ada', slug: 'ada', credentials } },
  upstreams,
  ...more,
})

const unanswered: Ask = () => ({ answer: Promise.resolve({ status: 503, body: {} }), hangUp: () => undefined })

/** A sidecar on a free port, its reports (what it uses credentials for by itself) and its clock. */
export async function sidecar(
  configuration: SidecarConfig | null,
  { isolated = false, ask = unanswered, relay = '' }: { isolated?: boolean; ask?: Ask; relay?: string } = {},
) {
  const reports: SidecarReport[] = []
  const uses: SidecarReport[] = []
  const clock = { now: 1_000_000 }
  const it = await startSidecar({
    port: 0,
    isolated,
    ask,
    relay,
    report: (report) => void (report.type === 'credential_used' ? uses : reports).push(report),
    now: () => clock.now,
  })
  onEnd(() => it.close())
  if (configuration) it.configure(configuration)
  return { ...it, reports, uses, clock, url: `http://127.0.0.1:${it.port}` }
}

export interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: string
}

export async function call(
  url: string,
  {
    method = 'POST',
    headers = {},
    body = '',
  }: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Answer> {
  // A client that would close could be cut off in the middle of a refused body.
  const agent = new Agent({ keepAlive: true })
  onEnd(() => agent.destroy())
  const out = request(url, { method, headers, agent }).end(body)
  const [res] = (await once(out, 'response')) as [IncomingMessage]
  return { status: res.statusCode!, headers: res.headers, body: await text(res) }
}

export async function text(stream: AsyncIterable<Buffer | string>): Promise<string> {
  let all = ''
  for await (const chunk of stream) all += chunk
  return all
}
