import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bridgeAddress, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type TwoClients, twoClients } from '../support/two-clients.ts'

const host = await bridgeAddress()
const missing = engineMissing || (host ? false : 'the Docker engine is on another machine')
leaveOut(missing)

describe.skipIf(missing)('two clients in the container of one crew', { timeout: 300_000 }, () => {
  let scene: TwoClients
  let installation = ''

  beforeAll(async () => {
    const settings = { SVC_CONTAINER_PREFIX: 'muster-sharing', SVC_ALLOW_PRIVATE_ENDPOINTS: 'true' }
    scene = await twoClients(settings, host!)
    installation = (await (await containerOf(scene.crew)).inspect()).Config.Labels['svc.installation']!
  })

  afterAll(async () => {
    await scene?.remove()
    if (installation) await removeInstallation(installation)
  })

  it('share work: one delegates to the other and uses its answer', async () => {
    const { ada, daemon } = scene
    const { run, answer, runId } = await daemon.turn(ada, 'Ask Cy.')
    expect(run).toMatchObject({ status: 'COMPLETED', error_message: null })
    expect(answer?.content).toMatch(/^Told: .*COMPLETED.*The word is plum\./)
    const { assignments } = await daemon.client.runs.tree({ runId })
    expect(assignments).toMatchObject([{ agent_slug: 'cy', state: 'COMPLETED', task: 'Say the word.', depth: 1 }])
  })

  it('bring a result once, though the daemon is killed while one works', async () => {
    const { ada, codex, daemon, release } = scene
    const { chatId } = await daemon.turn(ada, 'Leave it with Cy.')
    const working = () => JSON.stringify(codex.messages.at(-1)).includes('Work slowly.')
    await expect.poll(working, { timeout: 100_000 }).toBe(true)
    await daemon.kill()
    release()
    await daemon.start()
    const brought = async () =>
      (await daemon.messagesOf(chatId)).map(({ content }) => content).filter((text) => text.startsWith('Brought: '))
    await expect.poll(brought, { timeout: 150_000 }).toEqual(['Brought: > The word is plum.'])
  })
})
