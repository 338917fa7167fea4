import { describe, expect, it } from 'vitest'
import type { Row } from '../../../../daemon/features/escalations/queries.ts'
import {
  headline,
  isThere,
  isWaiting,
  linkOf,
  secondApprover,
  shownResolution,
} from '../../../../daemon/features/escalations/rules.ts'

const now = '2026-01-01T00:00:10.000Z'
const asked = (more: Partial<Row> = {}) =>
  ({ status: 'PENDING', agent_gave_up_at: null, deadline_at: '2026-01-01T00:00:11.000Z', ...more }) as Row

describe('an agent that asks', () => {
  it.each<[string, Partial<Row>, boolean, boolean]>([
    ['waits until its time is over', {}, true, true],
    ['goes on at that time', { deadline_at: now }, false, false],
    ['goes on when it gives up', { agent_gave_up_at: now }, false, false],
    ['waits no more for what is settled, although it is there', { status: 'RESOLVED' }, true, false],
  ])('%s', (_, more, there, waits) =>
    expect([isThere(asked(more), now), isWaiting(asked(more), now)]).toEqual([there, waits]),
  )
})

it('only an offered secret says whether a second person decides, and hides its answer', () => {
  const flags = (required: boolean) => ({
    second_approver_required: required,
    second_approver_by_workspace: required,
    second_approver_by_tier: false,
  })
  expect(secondApprover({ type: 'CREDENTIAL', second_approver: 1 })).toEqual(flags(true))
  expect(secondApprover({ type: 'CREDENTIAL', second_approver: 0 })).toEqual(flags(false))
  expect(secondApprover({ type: 'TEXT', second_approver: 1 })).toBe(false)
  expect(shownResolution({ type: 'CREDENTIAL', resolution: 'kv/7' })).toBe('********')
  expect(shownResolution({ type: 'TEXT', resolution: 'kv/7' })).toBe('kv/7')
  expect(shownResolution({ type: 'CREDENTIAL', resolution: null })).toBeNull()
})

it.each([
  ['  May I?  \n\n Because', 'May I?'],
  ['x'.repeat(120), 'x'.repeat(120)],
  ['x'.repeat(121), `${'x'.repeat(119)}…`],
  ['👍'.repeat(120), '👍'.repeat(120)],
])('the headline of %j is %j', (text, line) => expect(headline(text)).toBe(line))

describe('the address of a link', () => {
  const long = (length: number) => `https://a.example/${'x'.repeat(length - 18)}`

  it.each<[unknown, string | null]>([
    [' https://a.example/b?c#d ', 'https://a.example/b?c#d'],
    [{ url: 'https://a.example' }, 'https://a.example'],
    [long(2048), long(2048)],
    [long(2049), null],
    ['http://a.example', null],
    ['a.example', null],
    ['https://a.example/b c', null],
    ['https://a.example\\b', null],
    ['https://a.example/\u200bb', null],
    ['https://user@a.example', null],
    ['https://:secret@a.example', null],
    [{ url: 7 }, null],
    [undefined, null],
  ])('%j is read as %j', (metadata, link) => expect(linkOf(metadata)).toBe(link))
})
