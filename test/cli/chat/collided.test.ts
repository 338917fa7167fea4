import { describe, expect, it } from 'vitest'
import { collisionRow, interleaved } from '../../../cli/chat/collided.ts'
import { rowText } from '../../../cli/chat/delegated.ts'
import type { Said } from '../../../cli/chat/stored.ts'

const at = (second: number) => `2026-01-01T00:00:0${second}Z`
const message = (second: number) => ({ id: `m${second}`, ts: at(second) }) as Said
const collided = (second: number) => ({ summary: `c${second}`, created_at: at(second) })
const names = (...given: Parameters<typeof interleaved>) =>
  interleaved(...given).map((it) => ('summary' in it ? it.summary : it.id))

describe('collisions in a chat', () => {
  it('stand between the messages where they happened, from the first one on', () => {
    const said = [message(2), message(4), message(6)]
    expect(names(said, [collided(1), collided(3), collided(5), collided(7)])).toEqual([
      'm2',
      'c3',
      'm4',
      'c5',
      'm6',
      'c7',
    ])
    expect(names(said, [])).toEqual(['m2', 'm4', 'm6'])
    expect(names([], [collided(1)])).toEqual([])
  })

  it('take one line of the screen, whatever the names hold', () => {
    expect(rowText(collisionRow('Ada and Bo both wrote "\u001b[2Ja"', 100))).not.toContain('\u001b')
    expect(rowText(collisionRow('x'.repeat(500), 40)).length).toBeLessThanOrEqual(40)
  })
})
