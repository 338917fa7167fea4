import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CrewSpec, RunRef, RunSpec, Runtime } from '../../../daemon/runtime/types.ts'
import { printed, runSpec } from './runtime-contract.ts'

/** A program that gives back what it is sent, tells how much came, and ends when it is told to. */
const program = `
const net = require('net'), crypto = require('crypto')
net.createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => {})
  socket.once('data', (first) => {
    const word = String(first).split(' ')[0]
    if (word === 'echo') { socket.write(first); socket.pipe(socket) }
    if (word === 'cut') socket.resetAndDestroy()
    if (word === 'pour') {
      let left = Number(String(first).split(' ')[1])
      const block = Buffer.alloc(65536, 'muster')
      const more = () => {
        while (left > 0) { left -= block.length; if (!socket.write(block)) return socket.once('drain', more) }
        socket.end()
      }
      more()
    }
    if (word === 'drink') {
      const hash = crypto.createHash('sha256').update(first)
      socket.on('data', (chunk) => hash.update(chunk)).on('end', () => socket.end(hash.digest('hex')))
    }
    if (word === 'watch') {
      console.log('watched')
      socket.resume().on('end', () => socket.end()).on('close', () => console.log('gone'))
    }
  })
}).listen(0, process.argv[1], function () { console.log('port ' + this.address().port + '.') })
  .on('error', () => console.log('port 0.'))`

async function text(connection: Duplex): Promise<string> {
  let all = ''
  for await (const chunk of connection) all += chunk
  return all
}

/** What every runtime promises of ports inside a crew. */
export function portsContract(given: () => { runtime: Runtime; crew: CrewSpec }): void {
  describe('ports', () => {
    const runs: RunRef[] = []
    let port: number
    let run: RunSpec
    const connect = () => given().runtime.connect(given().crew.crewId, port)

    async function listen(host: string): Promise<{ run: RunSpec; port: number }> {
      const { runtime, crew } = given()
      const spec = runSpec(crew.crewId, { argv: ['node', '-e', program, host] })
      await runtime.startRun(spec)
      runs.push(spec)
      return { run: spec, port: Number(/port (\d+)\./.exec(await printed(runtime, spec, '.\n'))![1]) }
    }

    beforeAll(async () => {
      const first = await listen('127.0.0.1')
      run = first.run
      port = first.port
    })
    afterAll(async () => {
      for (const it of runs) await given().runtime.endRun(it)
    })

    it('are reached, both ways at once, and each side may end first', async () => {
      const connection = await connect()
      connection.write('echo one')
      expect(String((await once(connection, 'data'))[0])).toBe('echo one')
      connection.end(' two')
      expect(await text(connection)).toBe(' two')
    })

    it('are reached on IPv6 alone', async ({ skip }) => {
      const { port } = await listen('::1')
      if (port === 0) skip('there is no IPv6 here')
      const connection = await given().runtime.connect(given().crew.crewId, port)
      connection.end('echo six')
      expect(await text(connection)).toBe('echo six')
    })

    it('carry many connections at the same time', async () => {
      const all = await Promise.all(
        Array.from({ length: 50 }, async (_, n) => {
          const connection = await connect()
          connection.end(`echo ${n}`)
          return text(connection)
        }),
      )
      expect(all).toEqual(Array.from({ length: 50 }, (_, n) => `echo ${n}`))
    })

    it('carry much, and every byte of it, in either direction', async () => {
      const down = await connect()
      down.write('pour 33554432')
      let size = 0
      down.on('data', (chunk) => (size += chunk.length))
      await once(down, 'end')
      expect(size).toBe(33_554_432)
      const up = await connect()
      const sent = createHash('sha256')
      const send = async (bytes: string | Buffer) => {
        sent.update(bytes)
        if (!up.write(bytes)) await once(up, 'drain')
      }
      await send('drink ')
      for (let n = 0; n < 300; n++) await send(Buffer.alloc(100_003, n))
      up.end()
      expect(await text(up)).toBe(sent.digest('hex'))
    })

    it('hold up nobody else while one reads nothing', async () => {
      const slow = await connect()
      slow.write('pour 104857600')
      const quick = await connect()
      quick.end('echo quick')
      expect(await text(quick)).toBe('echo quick')
      slow.destroy()
    })

    it('say what happened to the other end', async () => {
      const cut = await connect()
      cut.on('error', () => {})
      cut.write('cut')
      cut.resume()
      await new Promise((resolve) => cut.once('close', resolve))
      expect(cut.errored).toBeInstanceOf(Error)
      const { runtime } = given()
      const watched = await connect()
      watched.write('watch')
      await printed(runtime, run, 'watched\n')
      watched.destroy()
      await printed(runtime, run, 'gone\n')
    })

    it('that nobody of the crew listens on are refused', async () => {
      const { runtime, crew } = given()
      await expect(runtime.connect(crew.crewId, 1)).rejects.toMatchObject({
        kind: 'refused',
        message: expect.stringContaining('port 1'),
      })
      await expect(runtime.connect('nobody', port)).rejects.toMatchObject({ kind: 'not_running' })
    })
  })
}
