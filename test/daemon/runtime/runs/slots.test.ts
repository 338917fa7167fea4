import { expect, it } from 'vitest'
import { Slots } from '../../../../daemon/runtime/runs/slots.ts'

const stay = () => new AbortController().signal

it('who has a place leaves the line alone when their signal comes', async () => {
  const slots = new Slots(1)
  const first = (await slots.take(stay()))!
  const gone = new AbortController()
  const second = slots.take(gone.signal)
  const third = slots.take(stay())
  first()
  await second
  gone.abort()
  expect(slots.line).toBe(1)
  ;(await second)!()
  expect(await third).toBeInstanceOf(Function)
})

it('who leaves the line leaves the others in it', async () => {
  const slots = new Slots(1)
  const first = (await slots.take(stay()))!
  const gone = new AbortController()
  const entered: string[] = []
  const take = (name: string, signal = stay()) => slots.take(signal).then((leave) => leave && entered.push(name))
  void take('a')
  void take('b', gone.signal)
  void take('c')
  gone.abort()
  expect(slots.line).toBe(2)
  first()
  await new Promise(setImmediate)
  expect(entered).toEqual(['a'])
})

it('a place that is taken by force is missing until it is given back', async () => {
  const slots = new Slots(2)
  const [one, two, three] = [slots.force(), slots.force(), slots.force()]
  const next = slots.take(stay())
  one()
  one()
  expect([slots.line, slots.free]).toEqual([1, false])
  two()
  expect(await next).toBeInstanceOf(Function)
  expect([slots.line, slots.free]).toEqual([0, false])
  three()
  expect(slots.free).toBe(true)
})

it('nobody takes a place whose signal has come', async () => {
  const slots = new Slots(1)
  const gone = new AbortController()
  gone.abort()
  expect(await slots.take(gone.signal)).toBeNull()
  expect([slots.line, slots.free]).toEqual([0, true])
})
