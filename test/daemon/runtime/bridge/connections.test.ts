import { once } from 'node:events'
import { Duplex, PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Connections, createConnections } from '../../../../daemon/runtime/bridge/connections.ts'
import { frame, frameReader, frames } from '../../../../daemon/runtime/bridge/frames.ts'

describe('frames', () => {
  it('read the same however the pipe cuts them', () => {
    const messages = fc.array(
      fc.record({
        type: fc.constantFrom(...Object.values(frames)),
        id: fc.nat(),
        payload: fc.uint8Array({ maxLength: 3000 }),
      }),
    )
    fc.assert(
      fc.property(messages, fc.infiniteStream(fc.integer({ min: 1, max: 700 })), (given, sizes) => {
        const stream = Buffer.concat(given.flatMap(({ type, id, payload }) => frame(type, id, Buffer.from(payload))))
        const seen: { type: number; id: number; payload: number[] }[] = []
        const read = frameReader({
          data: (id, bytes) => seen.push({ type: frames.data, id, payload: [...bytes] }),
          control: (type, id, payload) => seen.push({ type, id, payload: [...payload] }),
        })
        for (let at = 0; at < stream.length; ) {
          const size = sizes.next().value as number
          read(Buffer.from(stream.subarray(at, at + size)))
          at += size
        }
        const bytes = (all: typeof seen) =>
          all
            .filter(({ type }) => type === frames.data)
            .flatMap(({ id, payload }) => payload.map((it) => `${id}:${it}`))
        const controls = (all: typeof seen) => all.filter(({ type }) => type !== frames.data)
        const wanted = given.map(({ payload, ...rest }) => ({ ...rest, payload: [...payload] }))
        expect(bytes(seen)).toEqual(bytes(wanted))
        expect(controls(seen)).toEqual(controls(wanted))
      }),
      { numRuns: 100 },
    )
  })

  it.each([
    ['of no known type', Buffer.from([0, 0, 0, 0, 1, 0, 0, 0, 0])],
    ['longer than may be', Buffer.from([3, 0, 0, 0, 1, 0xff, 0, 0, 0])],
    ['of control that are long', Buffer.from([6, 0, 0, 0, 1, 0, 1, 0, 0])],
  ])('%s are refused', (_, bytes) => expect(() => frameReader({ data() {}, control() {} })(bytes)).toThrow('no frame'))
})

/** Two ends over a pipe that takes bytes one turn later. */
function joined(connect: (port: number) => Promise<Duplex>) {
  const faults: Error[] = []
  const counts: number[] = []
  const to = (other: () => Connections) => (bytes: Buffer, done: () => void) =>
    void setImmediate(() => {
      other().receive(Buffer.from(bytes))
      done()
    })
  const here: Connections = createConnections({
    write: to(() => there),
    broken: (error) => faults.push(error),
    counted: (open) => counts.push(open),
  })
  const there: Connections = createConnections({
    write: to(() => here),
    broken: (error) => faults.push(error),
    connect,
  })
  return { here, there, faults, counts }
}

describe('connections', () => {
  it('that are refused say why', async () => {
    const { here, counts } = joined(() => Promise.reject(new Error('nobody listens on port 7')))
    await expect(here.open(7)).rejects.toThrow('nobody listens on port 7')
    expect(counts).toEqual([1, 0])
  })

  it('are let to nobody where only we ask', async () => {
    const { there, here } = joined(async () => new PassThrough())
    await expect(there.open(7)).rejects.toThrow('nobody connects here')
    expect(await here.open(7)).toBeInstanceOf(Duplex)
  })

  it('hold no more than a window of what nobody reads', async () => {
    let offered = 0
    const source = new Duplex({
      read() {
        offered += 65_536
        this.push(Buffer.alloc(65_536))
      },
      write: (_chunk, _encoding, done) => done(),
    })
    const { here } = joined(async () => source)
    const connection = await here.open(7)
    await new Promise((resolve) => setImmediate(resolve))
    let before = -1
    while (before !== offered) {
      before = offered
      for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(offered).toBeLessThan(3 * 1024 * 1024)
    connection.destroy()
    await once(source, 'close')
  })

  it('end with an error when the pipe breaks, and are opened no more', async () => {
    const { here } = joined(async () => new PassThrough())
    const connection = await here.open(7)
    here.close(new Error('the engine is gone'))
    await expect(once(connection, 'end')).rejects.toThrow('the engine is gone')
    await expect(here.open(7)).rejects.toThrow('the engine is gone')
  })

  it('are closed when the other side sends more than it may', async () => {
    const { here } = joined(async () => new PassThrough())
    const connection = await here.open(7)
    const flood = frame(frames.data, 1, Buffer.alloc(1024 * 1024))
    for (let n = 0; n < 3; n++) for (const part of flood) here.receive(part)
    await expect(once(connection, 'end')).rejects.toThrow('too much at once')
  })

  it('that are given up while the other side still connects leave nothing open there', async () => {
    const theirs = new PassThrough()
    let connected = () => {}
    const asked = new Promise<void>((resolve) => {
      connected = resolve
    })
    let answer = (_: Duplex) => {}
    const { here, there } = joined(() => {
      connected()
      return new Promise((resolve) => {
        answer = resolve
      })
    })
    here.open(7).catch(() => {})
    await asked
    for (const part of frame(frames.reset, 1)) there.receive(part)
    await new Promise((resolve) => setImmediate(resolve))
    answer(theirs)
    await once(theirs, 'close')
    expect(theirs.destroyed).toBe(true)
  })

  it('are over with a side that asks and asks and does not read what it is told', () => {
    const faults: Error[] = []
    const here: Connections = createConnections({ write: () => {}, broken: (error) => faults.push(error), most: 0 })
    const asking = Buffer.concat(frame(frames.open, 1, Buffer.from([0, 7])))
    for (let n = 0; n < 10_000; n++) here.receive(asking)
    expect(faults).toEqual([])
    here.receive(asking)
    expect(faults).toEqual([new Error('the other side does not read')])
  })
})
