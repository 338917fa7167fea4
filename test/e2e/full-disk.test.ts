import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { buildImage } from '../support/build-image.ts'
import { attack, opened, seed } from '../support/disk-attack.ts'
import { standIn } from '../support/disk-scene.ts'
import { ending } from '../support/endings.ts'
import { containerOf, engine, engineMissing, removeInstallation } from '../support/engine.ts'
import { leaveOut } from '../support/leave-out.ts'
import { mountMissing } from '../support/small-disk.ts'

leaveOut(mountMissing)
leaveOut(engineMissing)

describe.skipIf(mountMissing || engineMissing)('agents in containers', () => {
  const image = 'muster-full-disk:test'

  it(`30 times a full disk (MUSTER_SEED=${seed})`, { timeout: 300_000 }, async () => {
    // The scripted client in place of the vendor's.
    const client = ['RUN rm -f /usr/local/bin/claude', 'COPY claude /usr/local/bin/claude']
    await buildImage(image, client, { claude: readFileSync(standIn) })
    ending(() => engine.getImage(image).remove({ force: true }))
    const it = await opened('size=24m', { SVC_CONTAINER_PREFIX: 'muster-full-disk', SVC_RUNTIME_IMAGE: image })
    const { scene } = it
    const chats = await Promise.all(['ada', 'bob'].map(scene.newChat))
    expect((await scene.call('POST', `/crews/${scene.crewId}/container-start`)).status).toBe(200)
    const { Config } = await (await containerOf(scene.crewId)).inspect()
    ending(async () => {
      // The daemon would make anew what is removed.
      await scene.daemon.kill()
      await removeInstallation(Config.Labels['svc.installation']!)
    })
    await attack(it, chats)
    const counts = await scene.expectWhole(true)
    // What agents write is elsewhere: nothing of theirs is lost.
    expect(Object.keys(counts).filter((status) => !['COMPLETED', 'CANCELLED'].includes(status))).toEqual([])
  })
})
