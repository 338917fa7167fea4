import { expect, it } from 'vitest'
import { createApp } from '#kernel/app'
import { daemon } from '#test'

it('are not taken before there is somebody who takes out their secrets', async () => {
  const { app } = await daemon()
  const { scrub } = createApp({ config: app.config, db: app.db, log: app.log, vault: null })
  expect(() => scrub({ workspace_id: 'w', agent_id: 'a' }, [])).toThrow(
    expect.objectContaining({ code: 'unavailable' }),
  )
})
