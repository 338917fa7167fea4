import { expect } from 'vitest'
import { diskScene, pause, processesOf, standIn } from './disk-scene.ts'
import { ending } from './endings.ts'
import { seeded } from './random.ts'
import { smallDisk } from './small-disk.ts'

export const seed = Number(process.env['MUSTER_SEED'] ?? Date.now() % 2 ** 31)
export const random = seeded(seed)
export const local = { SVC_CONTAINER_PROVIDER: 'process', SVC_CLAUDE_COMMAND: standIn }

/** A small disk with a daemon on it. */
export async function opened(options: string, settings: Record<string, string> = local) {
  const disk = smallDisk(options)
  ending(() => disk.remove())
  const scene = await diskScene(disk.path, settings, random)
  ending(async () => {
    await scene.daemon.kill()
    for (const pid of processesOf(disk.path)) process.kill(pid, 'SIGKILL')
  })
  return { disk, scene }
}

/** Fills the disk 30 times at random moments while people work. */
export async function attack({ disk, scene }: Awaited<ReturnType<typeof opened>>, chats: string[]): Promise<void> {
  const talking = Promise.allSettled(chats.map((chat) => scene.talk(chat)))
  for (let round = 0; round < 30; round++) {
    await pause(random() * 400)
    expect((await scene.untilRefused(disk.fill)).body).toMatchObject({
      code: expect.stringMatching(/^storage_/),
      error: expect.stringContaining('disk'),
    })
    expect((await scene.call('GET', `/chats/${chats[0]}/messages`)).status).toBe(200)
    // A search may have to extend its index first.
    expect((await scene.call('GET', '/journal?q=started')).status).toBeOneOf([200, 503, 507])
    await pause(random() * 300)
    disk.free()
    await scene.healthy()
    await scene.expectStored()
  }
  scene.stop()
  expect((await talking).filter(({ status }) => status === 'rejected')).toEqual([])
}
