import { describe, expect, it } from 'vitest'
import { instanceId, instanceProof, provesInstance } from '#client/instance'

const key = '11'.repeat(32)
const challenge = 'ab'.repeat(32)
const door = { address: '127.0.0.1', port: 8080 }
const proof = instanceProof(key, challenge, door)

describe('the proof of an instance', () => {
  it('is one of its key, its challenge and its door', () => {
    expect(provesInstance(key, challenge, door, proof)).toBe(true)
    expect(provesInstance(key, challenge, { ...door, address: '::ffff:127.0.0.1' }, proof)).toBe(true)
    for (const [otherKey, otherChallenge, otherDoor] of [
      ['22'.repeat(32), challenge, door],
      [key, 'cd'.repeat(32), door],
      [key, challenge, { ...door, port: 8081 }],
      [key, challenge, { ...door, address: '127.0.0.2' }],
      [key, challenge, {}],
    ] as const)
      expect(provesInstance(otherKey, otherChallenge, otherDoor, proof)).toBe(false)
  })

  it.each([undefined, null, '', 7, {}, proof.slice(1), `${proof}0`])('is not %s', (given) =>
    expect(provesInstance(key, challenge, door, given)).toBe(false),
  )

  it('is an HMAC-SHA256 that anybody with the key can make', () => {
    // printf 'muster instance\nproof\nabab…\n127.0.0.1 8080' | openssl dgst -sha256 -hmac 1111…
    expect(proof).toBe('5ed1630c4e648662e755c28c4af2d36f58cdadfaef0daaa698d39e7ed3e18b1d')
    expect(instanceId(key)).toMatch(/^[0-9a-f]{24}$/)
    expect(instanceId(key)).not.toBe(proof.slice(0, 24))
  })
})
