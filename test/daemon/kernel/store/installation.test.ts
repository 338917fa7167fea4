import { expect, it } from 'vitest'
import { installationId } from '#kernel/store/installation'
import { daemon } from '#test'

it('names the installation the same way every time, and another one differently', async () => {
  const [one, two] = [(await daemon()).app.db, (await daemon()).app.db]
  const id = installationId(one)
  expect(id).toMatch(/^[0-9a-f]{16}$/)
  expect(installationId(one)).toBe(id)
  expect(installationId(two)).not.toBe(id)
})
