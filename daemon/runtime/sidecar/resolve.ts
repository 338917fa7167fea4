import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'

/** Resolves a name, IPv4 addresses first; empty when the name does not exist. Throws when no name server answers. */
export type Resolve = (name: string) => Promise<string[]>

export interface Names {
  resolve: Resolve
  /** Sets name servers to ask besides those of /etc/resolv.conf. */
  use(servers: string[] | null): void
}

const patience = { timeout: 1500, tries: 2 }
const absent = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

export function createNames(hostsFile = '/etc/hosts', own = new Resolver(patience)): Names {
  let order = [own]

  /** Asks the sets of servers in turn, beginning with the one that answered last. */
  async function ask(name: string): Promise<string[]> {
    // A name without a dot is that of a container, which only the engine's server knows.
    const candidates = name.includes('.') ? order : [own]
    let failure: unknown
    for (const resolver of candidates) {
      try {
        const found = await addresses(resolver, name)
        if (resolver !== order[0] && order === candidates) order = [resolver, ...order.filter((it) => it !== resolver)]
        return found
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  return {
    async resolve(name) {
      const fixed = await fromHosts(hostsFile, name)
      return fixed.length ? fixed : ask(name)
    },
    use(servers) {
      const given = new Resolver(patience)
      if (servers) given.setServers(servers)
      order = servers ? [given, own] : [own]
    },
  }
}

/** Throws only when no server answered either query. */
async function addresses(resolver: Resolver, name: string): Promise<string[]> {
  const none = (error: NodeJS.ErrnoException) => {
    if (absent.has(error.code ?? '')) return []
    throw error
  }
  const [four, six] = await Promise.allSettled([
    resolver.resolve4(name).catch(none),
    resolver.resolve6(name).catch(none),
  ])
  const found = [four, six].flatMap((it) => (it.status === 'fulfilled' ? it.value : []))
  if (!found.length && four.status === 'rejected') throw four.reason
  return found
}

async function fromHosts(file: string, name: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const rows = text.split('\n').map((line) => line.replace(/#.*/, '').trim().split(/\s+/))
  return rows.filter(([, ...names]) => names.some((it) => it.toLowerCase() === name)).map(([address]) => address!)
}
