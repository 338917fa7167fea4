import { describe, expect, it } from 'vitest'
import { loadConfig } from '#kernel/config'
import { createBuckets } from '#kernel/limits/buckets'
import { createLimits, network } from '#kernel/limits/limits'
import { fixedClock } from '#test'

function limits(env: Record<string, string> = {}) {
  const clock = fixedClock()
  const { config } = loadConfig({ env: { XDG_CONFIG_HOME: '/nonexistent', SVC_RATELIMIT_AUTH_PER_MIN: '10', ...env } })
  const it = createLimits(config, clock)
  const { take } = it
  const times = (count: number, ip = '203.0.113.9') =>
    Array.from({ length: count }, () => take('auth', ip)).filter((refused) => !refused).length
  return { clock, limits: it, take, times }
}

describe('take', () => {
  it('gives a burst of a minute, then as much as has flowed back', () => {
    const { clock, times } = limits()
    expect(times(20)).toBe(10)
    clock.advance(5999)
    expect(times(5)).toBe(0)
    clock.advance(1)
    expect(times(5)).toBe(1)
    clock.advance(3_600_000)
    expect(times(20)).toBe(10)
  })

  it('says when to come again', () => {
    const { clock, take, times } = limits()
    times(10)
    const refused = take('auth', '203.0.113.9')!
    expect(refused.code).toBe('rate_limited')
    expect(refused.headers).toEqual({
      'retry-after': '6',
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil(clock() / 1000) + 6),
    })
    clock.advance(1000)
    expect(take('auth', '203.0.113.9')!.headers['retry-after']).toBe('5')
    clock.advance(5000)
    expect(take('auth', '203.0.113.9')).toBeNull()
    for (let n = 0; n < 1200; n++) take('api', '203.0.113.9')
    expect(take('api', '203.0.113.9')!.headers['retry-after'], 'whole seconds, at least one').toBe('1')
  })

  it('counts each address and each bucket for itself', () => {
    const { take, times } = limits()
    times(10)
    expect(times(1, '203.0.113.10')).toBe(1)
    expect(take('api', '203.0.113.9')).toBeNull()
  })

  it('gives nothing more when the clock is set back', () => {
    const { clock, times } = limits()
    times(10)
    clock.advance(-3_600_000)
    expect(times(5)).toBe(0)
    clock.advance(6000)
    expect(times(5)).toBe(1)
  })

  it('counts a network of IPv6 addresses as one', () => {
    const { times } = limits()
    expect(
      Array.from({ length: 20 }, (_, index) => times(1, `2001:db8:1:2::${index + 1}`)).reduce((a, b) => a + b),
    ).toBe(10)
    expect(times(1, '2001:db8:1:3::1')).toBe(1)
  })

  it.each([
    ['auth', 10, 6000],
    ['api', 1200, 50],
    ['pairing', 300, 200],
    ['test', 60, 1000],
    ['sockets', 120, 500],
    ['failures', 60, 60_000],
    ['mail', 5, 720_000],
  ] as const)('gives %s %i times, and once more after %i ms', (bucket, burst, pause) => {
    const { clock, take } = limits()
    const most = () => Array.from({ length: 2000 }, () => take(bucket, 'local')).filter((refused) => !refused).length
    expect(most()).toBe(burst)
    clock.advance(pause - 1)
    expect(most()).toBe(0)
    clock.advance(1)
    expect(most()).toBe(1)
  })

  it('takes back what does not count, and never more than a full bucket holds', () => {
    const { limits: it, times } = limits()
    it.giveBack('auth', '203.0.113.9')
    expect(times(12)).toBe(10)
    for (let n = 0; n < 3; n++) it.giveBack('auth', '203.0.113.9')
    expect(times(12)).toBe(3)
    for (let n = 0; n < 20; n++) it.giveBack('auth', '203.0.113.9')
    expect(times(20)).toBe(10)
  })

  it('takes the calls of an agent from its own bucket and from that of its crew, or from neither', () => {
    const { clock, limits: it } = limits()
    const call = (agent: string, name = 'notify') => it.takeCall(name, { agent, crew: 'docks' }, { agent: 2, crew: 3 })
    expect([call('ada'), call('ada'), call('ada')]).toEqual([0, 0, 30])
    expect([call('bob'), call('bob')]).toEqual([0, 20])
    clock.advance(20_000)
    expect(call('bob'), 'what the crew refused did not count for the agent').toBe(0)
    expect(call('ada', 'ask'), 'another call has buckets of its own').toBe(0)
  })

  it('refuses a call for as little as a second, and counts for the agent only what its crew allows', () => {
    const { clock, limits: it } = limits()
    const call = (agent: string, own: number, crew: string, shared: number) =>
      it.takeCall('notify', { agent, crew }, { agent: own, crew: shared })
    for (let n = 0; n < 60; n++) call('ada', 60, 'docks', 600)
    expect(call('ada', 60, 'docks', 600)).toBe(1)
    for (let n = 0; n < 60; n++) call('bob', 600, 'yard', 60)
    expect(call('cyd', 1, 'yard', 60)).toBe(1)
    clock.advance(1000)
    expect(call('cyd', 1, 'yard', 60)).toBe(0)
  })

  it('follows a value that is set while it runs, until it is taken back', () => {
    const { limits: it, times } = limits()
    it.override('http.auth_per_min', 3)
    expect([it.value('http.auth_per_min'), it.fallback('http.auth_per_min')]).toEqual([3, 10])
    expect([it.overridden('http.auth_per_min'), it.overridden('http.api_per_min')]).toEqual([true, false])
    expect(times(5)).toBe(3)
    it.override('http.auth_per_min', null)
    expect([it.value('http.auth_per_min'), it.overridden('http.auth_per_min')]).toEqual([10, false])
    expect(times(20, '203.0.113.10')).toBe(10)
  })

  it('lets agents call as often as they like where limits are switched off', () => {
    const { limits: it } = limits({ SVC_RATELIMIT_DISABLED: 'true', SVC_ENV: 'test' })
    const call = () => it.takeCall('notify', { agent: 'ada', crew: 'docks' }, { agent: 1, crew: 1 })
    expect([call(), call()]).toEqual([0, 0])
  })

  it('can be switched off', () =>
    expect(limits({ SVC_RATELIMIT_DISABLED: 'true', SVC_ENV: 'test' }).times(100)).toBe(100))
})

describe('buckets', () => {
  it('do not grow without end, and forget the quiet first', () => {
    const { take } = createBuckets(fixedClock(), 10)
    const others = (count: number, from: number) => {
      for (let n = from; n < from + count; n++) take(`other ${n}`, 1, 60_000)
    }
    expect([take('first', 1, 60_000), take('first', 1, 60_000)]).toEqual([0, 60])
    others(9, 1)
    expect(take('first', 1, 60_000)).toBe(60)
    others(9, 10)
    expect(take('first', 1, 60_000)).toBe(60)
    others(10, 19)
    expect(take('first', 1, 60_000)).toBe(0)
  })
})

describe('network', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['local', 'local'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['2001::3:4:5:6:7', '2001:0:0:3'],
    ['2001:db8::3:4:5:6:7', '2001:db8:0:3'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ])('of %s is %s', (ip, found) => expect(network(ip)).toBe(found))
})
