import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { local, opened } from '../support/disk-attack.ts'
import { leaveOut } from '../support/leave-out.ts'
import { expectAgreed, proposeInFile } from '../support/proposals.ts'
import { mountMissing } from '../support/small-disk.ts'

leaveOut(mountMissing)

const rounds = 4
/** Files of a day have room for that many rules. */
const count = 60

const refusals = { status: 507, body: { code: 'storage_full', detail: expect.stringContaining('Free space') } }

it.skipIf(mountMissing)(
  'a proposal is approved wholly or not at all on a full disk, also by a daemon that is killed there',
  { timeout: 180_000 },
  async () => {
    const { disk, scene } = await opened('size=24m', local)
    await scene.daemon.stop()
    const crew = { id: scene.crewId, workspace_id: scene.workspace, slug: 'works', name: 'Works' }
    const ids = await proposeInFile(join(disk.path, 'data/muster.db'), crew, count)
    await scene.start()
    const approve = (id: string) => scene.call('POST', `/consolidate/proposed/${id}/approve`)
    const agreed = () => expectAgreed(async (path) => (await scene.call('GET', path)).body, 'works', ids)
    const waiting = async () => {
      const approved = await agreed()
      return ids.filter((id) => !approved.includes(id))
    }

    for (let round = 0; round < rounds; round++) {
      let refused: string | undefined
      for (const id of await waiting()) {
        disk.fill()
        const answer = await approve(id)
        if (answer.status === 200) continue
        expect(answer).toMatchObject(refusals)
        refused = id
        break
      }
      expect(refused).toBeDefined()
      expect(await waiting()).toContain(refused)
      if (round % 2) {
        const answers = Promise.allSettled((await waiting()).slice(0, 3).map(approve))
        await pause(Math.random() * 20)
        await scene.daemon.kill()
        await answers
        disk.free()
        await scene.start()
        await agreed()
      } else disk.free()
      await scene.healthy()
      if ((await waiting()).includes(refused!)) expect(await approve(refused!)).toMatchObject({ status: 200 })
      expect(await waiting()).not.toContain(refused)
    }
    expect((await scene.call('GET', '/journal/verify')).body).toMatchObject({ valid: true })
  },
)
