import { agentAvatars } from '#contract/agent-avatars'
import { feature } from '#kernel/feature'
import { removeAvatar, sendAvatar, setAvatar } from './service.ts'

export default feature(agentAvatars, (app) => ({
  avatar: (call) => sendAvatar(app, call),
  setAvatar: (call) => setAvatar(app, call),
  removeAvatar: (call) => removeAvatar(app, call),
}))
