// The daemon's own HTTP side with one operation that stores nothing: the limit for what storing costs. Prints where it
// listens.
import { openKernel } from './kernel.mjs'

const { kernel, app, token, serve } = await openKernel('src/contract/chats.ts')
const endpoints = { create: { ...kernel.chats.create, journal: false } }
kernel.register(app, {
  plain: kernel.feature(endpoints, () => ({ create: () => ({ id: 'c000000000000000000000000' }) })),
})
app.db.exec(`
  INSERT INTO workspaces (id, name, slug, created_at, updated_at) VALUES ('w', 'Bench', 'bench', '', '');
  INSERT INTO workspace_members (id, workspace_id, user_id, role, created_at, updated_at)
  VALUES ('m', 'w', 'u', 'OWNER', '', '')`)
const headers = { authorization: `Bearer ${token}`, 'x-workspace-id': 'w' }
process.stdout.write(`${JSON.stringify({ url: `${await serve()}/api/v1/agents/a/chats`, headers })}\n`)
