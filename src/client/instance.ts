import { createHmac, timingSafeEqual } from 'node:crypto'

/** File of a data folder with the key that its daemon proves itself with. It serves nothing else. */
export const instanceKeyFile = 'instance.key'

/** With a key of no secret anybody could prove anything. */
export const isInstanceKey = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** The end of a connection at which the daemon was asked: its address and port, or its unix socket. */
export interface Door {
  address?: string | undefined
  port?: number | undefined
}

/** A public name of the instance that holds the key. */
export const instanceId = (key: string): string => mac(key, ['id']).slice(0, 24)

/** Names the door, so that a program at another one cannot pass the proof on as its own. */
export const instanceProof = (key: string, challenge: string, door: Door): string =>
  mac(key, ['proof', challenge, nameOf(door)])

export function provesInstance(key: string, challenge: string, door: Door, proof: unknown): boolean {
  const wanted = Buffer.from(instanceProof(key, challenge, door))
  const given = Buffer.from(typeof proof === 'string' ? proof : '')
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

const nameOf = ({ address, port }: Door): string =>
  port === undefined ? 'socket' : `${address?.replace(/^::ffff:/, '')} ${port}`

const mac = (key: string, words: readonly string[]): string =>
  createHmac('sha256', key)
    .update(['muster instance', ...words].join('\n'))
    .digest('hex')
