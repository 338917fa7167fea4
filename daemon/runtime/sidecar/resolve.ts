import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'

/** Turns a name into its addresses, IPv4 first; empty when there is no such name. Throws when no name server answers. */
export type Resolve = (name: string) => Promise<string[]>

export interface Names {
  resolve: Resolve
  /** Name servers to ask from now on; null for those of /etc/resolv.conf. */
  use(servers: string[] | null): void
}

const absent = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

export function createNames(hostsFile = '/etc/hosts'): Names {
  let resolver = new Resolver({ timeout: 2000, tries: 2 })

  async function ask(query: Promise<string[]>): Promise<string[]> {
    try {
      return await query
    } catch (error) {
      if (absent.has((error as NodeJS.ErrnoException).code ?? '')) return []
      throw error
    }
  }

  return {
    async resolve(name) {
      const fixed = await fromHosts(hostsFile, name)
      if (fixed.length) return fixed
      const answers = await Promise.allSettled([ask(resolver.resolve4(name)), ask(resolver.resolve6(name))])
      const found = answers.flatMap((it) => (it.status === 'fulfilled' ? it.value : []))
      const failed = answers.find((it) => it.status === 'rejected')
      if (!found.length && failed) throw failed.reason
      return found
    },
    use(servers) {
      // Never in place: queries that are under way keep the servers they began with.
      resolver = new Resolver({ timeout: 2000, tries: 2 })
      if (servers) resolver.setServers(servers)
    },
  }
}

async function fromHosts(file: string, name: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const rows = text.split('\n').map((line) => line.replace(/#.*/, '').trim().split(/\s+/))
  return rows.filter(([, ...names]) => names.some((it) => it.toLowerCase() === name)).map(([address]) => address!)
}
