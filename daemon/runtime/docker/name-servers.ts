import { getServers, Resolver } from 'node:dns'
import { readFileSync } from 'node:fs'

/** The file in which a local stub resolver lists its upstream servers. */
const behindTheStub = '/run/systemd/resolve/resolv.conf'

const lead = (server: string) => !/^\[?(127\.|::1\b|0\.|::$|::ffff:127\.)|%/i.test(server)

/**
 * This machine's name servers that a container can reach, for sidecars to ask themselves: engines forward queries from
 * within the container's network as root, which a crew's rules refuse. Empty when all of them are on loopback.
 */
export function nameServers(own: string[] = getServers(), stubFile = behindTheStub): string[] {
  const usable = own.filter(lead)
  return usable.length ? usable : listed(stubFile).filter(lead)
}

function listed(file: string): string[] {
  try {
    const found = [...readFileSync(file, 'utf8').matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, server]) => server!)
    new Resolver().setServers(found.filter(lead)) // throws for an invalid address
    return found
  } catch {
    return []
  }
}
