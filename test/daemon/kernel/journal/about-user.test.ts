import { describe, expect, it } from 'vitest'
import { audienceOf } from '#kernel/journal/about-user'
import { daemon } from '#test'

describe('the journals that a fact about a user is recorded in', () => {
  it('are those of workspaces that are not deleted, the home workspace first', async () => {
    const it = await daemon()
    const owner = it.person('OWNER')
    const make = async (slug: string) =>
      (await it.call('OWNER', 'POST', '/workspaces', { name: slug, slug })).body.id as string
    const [kept, gone] = [await make('kept'), await make('gone')]
    expect(audienceOf(it.app, owner.userId)).toEqual([it.workspace, kept, gone])
    it.app.db.prepare("UPDATE workspaces SET deleted_at = '2026-01-01T00:00:00Z' WHERE id = ?").run(gone)
    expect(audienceOf(it.app, owner.userId)).toEqual([it.workspace, kept])
    expect(audienceOf(it.app, it.person('VIEWER').userId)).toEqual([it.workspace])
    expect(audienceOf(it.app, 'nobody')).toEqual([])
  })
})
