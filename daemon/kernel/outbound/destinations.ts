import { hash } from 'node:crypto'

/** Where a request goes, as far as it tells what a credential is used for: never a query, an id or a secret. */
export interface Destination {
  /** With a port that is not the usual one, and `http://` before it where unencrypted. */
  host: string
  method: string
  /** The path's shape. */
  path: string
}

const mostSegments = 12
const mostCharacters = 64
/** Stands for a number, an id or a hash. */
const anyId = '{id}'
/** At the end of a path: whatever is below. */
export const allBelow = '/**'

const identifiers = [
  /^\d+$/,
  /^\d{4}-\d{2}-\d{2}$/,
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  /^(?=.*\d)(?=.*[a-f])[0-9a-f]{7,}$/i,
  /^(?=.*\d)(?=.*[a-z])[a-z0-9]{16,}$/i,
  /^[a-z]{1,12}_(?=[a-z0-9]*\d)[a-z0-9]{8,}$/i,
  /^(?=.*\d)[\w-]{32,}$/,
]

/** Where a request goes. */
export const destinationOf = (method: string, { protocol, hostname, port, pathname }: URL): Destination => ({
  host: `${protocol === 'https:' ? '' : `${protocol}//`}${hostname.replace(/\.$/, '')}${port && `:${port}`}`,
  method: method.toUpperCase(),
  path: shapeOf(pathname),
})

/** The shape of a path that is free of `.` and `..`, as those of a URL are. */
export function shapeOf(pathname: string): string {
  const segments = pathname.split('/').slice(1).map(shapeOfSegment)
  if (segments.length <= mostSegments) return `/${segments.join('/')}`
  return `/${segments.slice(0, mostSegments).join('/')}${allBelow}`
}

/** What is written in another way is another segment, except for characters that never need escaping. */
function shapeOfSegment(segment: string): string {
  const text = segment.replace(/%([0-9a-f]{2})/gi, (written: string, digits: string) => {
    const sign = String.fromCharCode(Number.parseInt(digits, 16))
    return /[A-Za-z0-9_~-]/.test(sign) ? sign : written.toUpperCase()
  })
  const shape = text.replaceAll('*', '%2A').split(':').map(shapeOfPart).join(':')
  return shape.length <= mostCharacters ? shape : `${shape.slice(0, 40)}~${hash('sha256', shape, 'hex').slice(0, 12)}`
}

const shapeOfPart = (part: string): string => (identifiers.some((it) => it.test(part)) ? anyId : part)

/** A place that covers all below the first part of a path, and one that covers all of a host. */
export const widened = ({ path, ...place }: Destination): [Destination, Destination] => [
  { ...place, path: path.indexOf('/', 1) < 0 ? path : `/${path.split('/')[1]}${allBelow}` },
  { ...place, path: allBelow },
]

/** Whether one of the rules allows it. */
export const isWithin = (rules: readonly Destination[], it: Destination): boolean =>
  rules.some(({ host, method, path }) => host === it.host && method === it.method && covers(path, it.path))

function covers(rule: string, path: string): boolean {
  if (!rule.endsWith(allBelow)) return rule === path
  const above = rule.slice(0, -allBelow.length)
  return path === above || path.startsWith(`${above}/`)
}

/** The rules without those that another one covers. */
export const narrowest = (rules: readonly Destination[]): Destination[] =>
  rules.filter((rule) => !rules.some((other) => other !== rule && isWithin([other], rule)))

export const textOf = ({ host, method, path }: Destination): string => `${method} ${host}${path}`
