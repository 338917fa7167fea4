import { expect, it } from 'vitest'
import { homeOf, homeRoleOf } from '#kernel/auth/home'
import { daemon } from '#test'

it('the server is owned by the owners of its workspace who may enter, and by nobody once that is deleted', async () => {
  const { app, person, stranger, workspace } = await daemon()
  const [owner, viewer] = [person('OWNER').userId, person('VIEWER').userId]
  const other = stranger()
  expect([homeOf(app), homeRoleOf(app, owner), homeRoleOf(app, viewer)]).toEqual([workspace, 'OWNER', 'VIEWER'])
  expect(homeRoleOf(app, other.userId)).toBe(undefined)
  app.db.prepare('UPDATE workspaces SET require_two_factor = 1 WHERE id = ?').run(workspace)
  expect([homeOf(app), homeRoleOf(app, owner)]).toEqual([workspace, undefined])
  app.db.prepare("UPDATE workspaces SET require_two_factor = 0, deleted_at = 'x' WHERE id = ?").run(workspace)
  expect([homeOf(app), homeRoleOf(app, owner)]).toEqual([undefined, undefined])
})
