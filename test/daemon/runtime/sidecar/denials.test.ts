import { describe, expect, it } from 'vitest'
import { createDenials } from '#runtime/sidecar/denials'
import { createSlots } from '#runtime/sidecar/slots'
import type { SidecarReport } from '#runtime/types'

function denials() {
  const clock = { now: 0 }
  const reports: SidecarReport[] = []
  const denied = createDenials(
    (it) => reports.push(it),
    () => clock.now,
  )
  return {
    clock,
    reports,
    deny: (host: string, agentId = 'a', port = 443) => denied({ agentId, host, port, reason: 'no' }),
  }
}

describe('denials', () => {
  it('reports the same refusal once a minute and counts the rest', () => {
    const { deny, clock, reports } = denials()
    for (let i = 0; i < 5; i++) deny('evil.example')
    clock.now = 59_999
    deny('evil.example')
    expect(reports).toEqual([
      { type: 'egress_denied', agentId: 'a', host: 'evil.example', port: 443, reason: 'no', unreported: 0 },
    ])
    clock.now = 60_000
    deny('evil.example')
    expect(reports.at(-1)).toMatchObject({ unreported: 5 })
  })

  it('tells agents, hosts and ports apart', () => {
    const { deny, reports } = denials()
    deny('evil.example')
    deny('evil.example', 'b')
    deny('evil.example', 'a', 80)
    deny('worse.example')
    expect(reports).toHaveLength(4)
  })

  it('reports no more than thirty in a minute, whatever names an agent makes up', () => {
    const { deny, clock, reports } = denials()
    for (let i = 0; i < 5000; i++) deny(`n${i}.example`)
    expect(reports).toHaveLength(30)
    clock.now = 60_000
    for (let i = 0; i < 5000; i++) deny(`m${i}.example`)
    expect(reports).toHaveLength(60)
    expect(reports[30]).toMatchObject({ unreported: 4970 })
  })

  it('lets nothing but plain, short text through', () => {
    const { deny, reports } = denials()
    deny(`\x1b[31m${'x'.repeat(10_000)}`)
    expect(reports[0]).toMatchObject({ host: `?[31m${'x'.repeat(295)}` })
  })
})

describe('slots', () => {
  it('bounds all and each, and gives a place back once', () => {
    const slots = createSlots(3, 2)
    const first = slots.take(1)!
    expect(slots.take(1)).toBeTypeOf('function')
    expect(slots.take(1)).toBeNull()
    expect(slots.take(2)).toBeTypeOf('function')
    expect(slots.take(3)).toBeNull()
    first()
    first()
    expect(slots.take(3)).toBeTypeOf('function')
    expect(slots.take(1)).toBeNull()
  })

  it('count again what one caller holds when a place is given back', () => {
    const slots = createSlots(10, 2)
    const [first, second] = [slots.take(1)!, slots.take(1)!]
    first()
    const third = slots.take(1)!
    expect(slots.take(1)).toBeNull()
    second()
    third()
    expect([slots.take(1), slots.take(1), slots.take(1)].map((it) => it !== null)).toEqual([true, true, false])
  })
})
