// The daemon's HTTP side in this process, writing entries when its parent says so.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { load } from '../support.mjs'
import { openApp, openStore } from './world.mjs'

const filler = randomBytes(160).toString('hex')

export async function writeEntries(dir) {
  const { register, createServer, features } = await load(
    'daemon/kernel/dispatch.ts',
    'daemon/kernel/http/operations.ts',
    'daemon/features/index.ts',
  )
  const db = await openStore(join(dir, 'muster.db'))
  const { app, record } = await openApp(db)
  register(app, features)
  const http = createServer(app)
  const url = await http.listen({ port: 0, host: '127.0.0.1' })
  process.on('message', async ({ workspace, rate, seconds }) => {
    const start = performance.now()
    const count = rate * seconds
    for (let n = 0; n < count; n++) {
      const wait = start + (n * 1000) / rate - performance.now()
      if (wait > 1) await sleep(wait)
      const sent = (performance.timeOrigin + performance.now()).toFixed(3).padEnd(17, '0')
      void app.write(() =>
        record({
          workspace_id: workspace,
          type: 'exec.command',
          severity: 'info',
          actor_type: 'system',
          summary: 'an entry',
          payload: { sent: Number(sent), filler },
        }),
      )
    }
    await app.idle()
    process.send({ written: count })
  })
  process.send({ url })
}
