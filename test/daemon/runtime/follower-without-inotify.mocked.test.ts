import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { followSpool } from '../../../daemon/runtime/spool/follower.ts'
import { localSpool } from './local-run.ts'

// The kernel gives a user so many inotify instances and no more: what happens then cannot be brought about for one
// process alone.
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  watch() {
    throw Object.assign(new Error('too many open files, watch'), { code: 'EMFILE' })
  },
}))

const spool = localSpool()
afterAll(spool.remove)

describe('following without inotify', () => {
  it('looks again by the clock', async () => {
    const go = join(spool.root, 'go')
    const run = await spool.start({ sh: `echo one; while [ ! -e ${go} ]; do sleep 0.05; done; echo two` })
    let output = ''
    const record = await new Promise((resolve, reject) => {
      followSpool(run.dir, 0, {
        data(chunk) {
          output += chunk
          // The run ends only once its first line was seen.
          if (output === 'one\n') writeFileSync(go, '')
        },
        ended: resolve,
        failed: reject,
      })
    })
    expect({ output, record }).toEqual({ output: 'one\ntwo\n', record: 'exited 0\n' })
  })
})
