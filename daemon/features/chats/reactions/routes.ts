import { chatPeople } from '#contract/chat-people'
import { feature } from '#kernel/feature'
import { listReactions, react, unreact } from './service.ts'

const { reactions, react: reacting, unreact: unreacting } = chatPeople

export default feature({ reactions, react: reacting, unreact: unreacting }, (app) => ({
  reactions: (call) => listReactions(app, call),
  react: (call) => react(app, call),
  unreact: (call) => unreact(app, call),
}))
