import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Reply } from '#contract/define'
import type { oauth } from '#contract/oauth'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { Problem } from '#kernel/problem'
import { done, finish, refused } from './callback.ts'
import { headersOfPage, pageOf } from './page.ts'
import { begin } from './service.ts'

const lifetimeMs = 120_000

/** The listener of each person: who begins again gives up what was begun before. */
const listening = new WeakMap<App, Map<string, Server>>()

/** Begins a sign-in that comes back to a port of this machine, which is open for one answer and 120 seconds. */
export async function loopback(
  app: App,
  { actor, body }: Call<typeof oauth.loopback>,
): Promise<Reply<typeof oauth.loopback>> {
  const server = createServer((request, response) => void answer(app, server, request, response))
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    const begun = await begin(app, actor, body.credential_id, `http://127.0.0.1:${port}/callback`)
    keep(app, actor.id, server)
    return { ...begun, loopback_port: port }
  } catch (error) {
    server.close()
    throw error
  }
}

function keep(app: App, user: string, server: Server): void {
  const all = listening.get(app) ?? new Map<string, Server>()
  listening.set(app, all)
  end(all.get(user))
  all.set(user, server)
  const timer = setTimeout(() => end(server), lifetimeMs).unref()
  const stop = () => end(server)
  app.stopping.signal.addEventListener('abort', stop)
  server.on('close', () => {
    clearTimeout(timer)
    app.stopping.signal.removeEventListener('abort', stop)
    if (all.get(user) === server) all.delete(user)
  })
}

function end(server: Server | undefined): void {
  server?.close()
  server?.closeIdleConnections()
}

async function answer(app: App, server: Server, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = URL.canParse(request.url ?? '', 'http://127.0.0.1') ? new URL(request.url!, 'http://127.0.0.1') : null
  if (request.method !== 'GET' || url?.pathname !== '/callback') {
    response.writeHead(404, { connection: 'close' }).end()
    return
  }
  const said = await outcome(app, Object.fromEntries(url.searchParams))
  response.writeHead(said.status, { ...headersOfPage, connection: 'close' }).end(pageOf(said))
  // A stranger's request must not end what the person is about to finish.
  if (said.status !== 400) end(server)
}

async function outcome(app: App, query: Record<string, string>) {
  try {
    await finish(app, query, null)
    return done
  } catch (error) {
    if (error instanceof Problem) return refused(error)
    app.log.error({ err: error }, 'A sign-in could not be finished')
    return { status: 500, title: 'That did not work', text: 'The server has a fault. You can close this window.' }
  }
}
