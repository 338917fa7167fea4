/** Class of an IP address. `public` may always be dialled, `private` sometimes, the others never. */
export type AddressClass = 'public' | 'private' | 'loopback' | 'link-local' | 'metadata' | 'multicast' | 'reserved'

/** First match wins. `embedded`: the last 32 bits are an IPv4 address, which decides. */
const ipv4: [block: string, is: AddressClass][] = [
  ['169.254.169.254/32', 'metadata'],
  ['169.254.170.2/32', 'metadata'], // AWS container credentials
  ['169.254.170.23/32', 'metadata'],
  ['100.100.100.200/32', 'metadata'],
  ['168.63.129.16/32', 'metadata'], // Azure's host agent, within a public block
  ['192.0.0.192/32', 'metadata'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'private'],
  ['172.16.0.0/12', 'private'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'private'], // benchmarking; used by local virtual machines and proxies
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['224.0.0.0/4', 'multicast'],
  ['0.0.0.0/8', 'reserved'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'reserved'],
  ['192.88.99.0/24', 'reserved'],
  ['198.51.100.0/24', 'reserved'],
  ['203.0.113.0/24', 'reserved'],
  ['240.0.0.0/4', 'reserved'],
  ['0.0.0.0/0', 'public'],
]

const ipv6: [block: string, is: AddressClass | 'embedded'][] = [
  ['::1/128', 'loopback'],
  ['::ffff:0:0/96', 'embedded'], // IPv4-mapped
  ['64:ff9b::/96', 'embedded'], // NAT64
  ['fd00:ec2::254/128', 'metadata'],
  ['fd00:ec2::23/128', 'metadata'],
  ['fd20:ce::254/128', 'metadata'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['ff00::/8', 'multicast'],
  ['2001::/23', 'reserved'], // Teredo and other tunnels, which may embed any IPv4 address
  ['2001:db8::/32', 'reserved'],
  ['2002::/16', 'reserved'], // 6to4, likewise
  ['3fff::/20', 'reserved'],
  ['2000::/3', 'public'],
  ['::/0', 'reserved'],
]

const table4 = ipv4.map(([block, is]) => ({ ...cidr(block, 32), is }))
const table6 = ipv6.map(([block, is]) => ({ ...cidr(block, 128), is }))

/** The class of an address in any valid text form; `reserved` for anything else. */
export function classify(address: string): AddressClass {
  const parsed = parseAddress(address)
  if (!parsed) return 'reserved'
  return parsed.family === 4 ? classify4(parsed.bits) : classify6(parsed.bits)
}

/** Whether a host, by name or address, is this machine. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  return bare === 'localhost' || classify(bare) === 'loopback'
}

/** Whether a URL's host is this machine's loopback; 0.0.0.0 and :: lead there for whoever connects to them. */
export function isThisMachine(host: string): boolean {
  // A name may end with the dot of the root.
  const name = host.replace(/\.$/, '')
  return isLoopbackHost(name) || name.endsWith('.localhost') || name === '0.0.0.0' || name === '[::]'
}

function classify4(bits: bigint): AddressClass {
  return table4.find((it) => bits >> it.shift === it.prefix)!.is
}

function classify6(bits: bigint): AddressClass {
  const { is } = table6.find((it) => bits >> it.shift === it.prefix)!
  return is === 'embedded' ? classify4(bits & 0xffff_ffffn) : is
}

export interface Address {
  family: 4 | 6
  bits: bigint
}

/** Reads dotted-quad IPv4 (decimal, four parts, no leading zeros) or IPv6 without zone; null for anything else. */
export function parseAddress(text: string): Address | null {
  if (!text.includes(':')) {
    const bits = parse4(text)
    return bits === null ? null : { family: 4, bits }
  }
  const bits = parse6(text)
  return bits === null ? null : { family: 6, bits }
}

function parse4(text: string): bigint | null {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((it) => /^(0|[1-9]\d{0,2})$/.test(it) && Number(it) < 256)) return null
  return parts.reduce((bits, it) => (bits << 8n) | BigInt(it), 0n)
}

function parse6(text: string): bigint | null {
  const halves = text.split('::')
  if (halves.length > 2) return null
  const [head, tail] = halves.map((it, index) => groups(it, index === halves.length - 1))
  if (!head || tail === null) return null
  const missing = 8 - head.length - (tail?.length ?? 0)
  if (tail === undefined ? missing !== 0 : missing < 1) return null
  return [...head, ...Array<bigint>(missing).fill(0n), ...(tail ?? [])].reduce((bits, it) => (bits << 16n) | it, 0n)
}

/** The 16-bit groups of one side of `::`; the last may be a dotted quad. */
function groups(text: string, end: boolean): bigint[] | null {
  if (text === '') return []
  const out: bigint[] = []
  const parts = text.split(':')
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) out.push(BigInt(`0x${part}`))
    else {
      const quad = end && index === parts.length - 1 ? parse4(part) : null
      if (quad === null) return null
      out.push(quad >> 16n, quad & 0xffffn)
    }
  }
  return out
}

/** One spelling per address: dotted quad, or eight hexadecimal groups without leading zeros. */
export function canonicalAddress(text: string): string | null {
  const parsed = parseAddress(text)
  if (!parsed) return null
  const { family, bits } = parsed
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join('.')
  return [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((bits >> shift) & 0xffffn).toString(16)).join(':')
}

function cidr(block: string, width: number): { prefix: bigint; shift: bigint } {
  const [base, length] = block.split('/') as [string, string]
  const shift = BigInt(width - Number(length))
  return { prefix: parseAddress(base)!.bits >> shift, shift }
}
