import { expect } from 'vitest'
import { keepSynced } from '../../daemon/features/registry/syncs/jobs.ts'
import { fakeServer, json, type Seen } from './fake-server.ts'
import { closing, type daemon } from './index.ts'

/** A page of the registry as it was recorded: what it says of servers over HTTP and in packages. */
export const recorded = {
  servers: [
    {
      server: {
        name: 'io.github.ada/tickets',
        title: 'Tickets',
        description: 'Reads and writes tickets',
        version: '1.4.0',
        websiteUrl: 'https://tickets.example',
        repository: { url: 'https://code.example/ada/tickets', source: 'github' },
        icons: [{ src: 'https://tickets.example/icon.png' }],
        packages: [
          {
            registryType: 'npm',
            identifier: '@ada/tickets',
            version: '1.4.0',
            transport: { type: 'stdio' },
            environmentVariables: [
              { name: 'TICKETS_TOKEN', description: 'Token of your account', isRequired: true, isSecret: true },
              { name: 'TICKETS_REGION', isRequired: false },
            ],
          },
        ],
      },
      _meta: { official: { status: 'active', isLatest: true } },
    },
    {
      server: {
        name: 'com.example/search',
        title: 'Search',
        description: 'Finds pages',
        version: '2.0.0',
        remotes: [
          { type: 'sse', url: 'https://search.example/sse' },
          {
            type: 'streamable-http',
            url: 'https://search.example/mcp',
            headers: [{ name: 'Authorization', isRequired: true, isSecret: true }],
          },
        ],
      },
      _meta: { official: { status: 'active', isLatest: true } },
    },
  ],
  metadata: { nextCursor: 'two', count: 2 },
}

/** The last page of the same. */
export const lastPage = {
  servers: [
    {
      server: {
        name: 'io.github.bo/notes',
        description: 'Keeps notes',
        version: '0.1.0',
        packages: [{ registryType: 'oci', identifier: 'bo/notes', version: '0.1.0' }],
      },
    },
  ],
  metadata: { count: 1 },
}

/** A registry on loopback that answers each cursor with a page. */
export const registry = (pages: Record<string, unknown> = { '': recorded, two: lastPage }) =>
  fakeServer(({ url }: Seen, reply) => {
    const cursor = new URL(url, 'http://registry').searchParams.get('cursor') ?? ''
    return cursor in pages ? json(reply, pages[cursor]) : reply.writeHead(500).end('broken')
  })

/** Asks for a sync and waits until it has ended. */
export async function synced(it: Awaited<ReturnType<typeof daemon>>): Promise<void> {
  const job = closing(keepSynced(it.app))
  expect((await it.call('OWNER', 'POST', '/mcp-registry/sync')).status).toBe(202)
  await ended(it)
  job.close()
}

/** Waits until the newest sync has ended. */
export const ended = ({ app }: Awaited<ReturnType<typeof daemon>>) =>
  expect
    .poll(() => app.db.prepare('SELECT ended_at FROM mcp_registry_syncs').get())
    .toEqual({ ended_at: expect.any(String) })
