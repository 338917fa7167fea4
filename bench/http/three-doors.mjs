// One handler behind an open door and behind one for whoever is signed in, by token or by cookie. Prints where it
// listens.
import { Type } from 'typebox'
import { openKernel } from './kernel.mjs'

const { kernel, app, token, serve } = await openKernel('src/contract/define.ts')
const door = { summary: 'Answer', reply: Type.Object({ id: Type.String() }) }
const endpoints = {
  open: kernel.get('/open', { ...door, access: 'public', rate: 'none' }),
  known: kernel.get('/known', { ...door, access: 'signed-in' }),
}
const answer = () => ({ id: 'c000000000000000000000000' })
kernel.register(app, { doors: kernel.feature(endpoints, () => ({ open: answer, known: answer })) })
app.db.exec(`
  INSERT INTO user_sessions (id, user_id, created_at, last_used_at, expires_at, current_refresh_jti)
    VALUES ('s_0', 'u', '', '${new Date().toISOString()}', '2999-01-01T00:00:00Z', 'j')`)
const access = await app.auth.seals.seal('access', {
  userId: 'u',
  sessionId: 's_0',
  name: 'Bench',
  email: 'bench@example.com',
})
process.stdout.write(
  `${JSON.stringify({ url: await serve(), token, cookie: `authjs.session-token=${access.token}` })}\n`,
)
