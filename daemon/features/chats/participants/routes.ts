import { chatPeople } from '#contract/chat-people'
import { feature } from '#kernel/feature'
import { invite, leaveChats, listParticipants, uninvite } from './service.ts'

const { participants, invite: inviting, uninvite: uninviting } = chatPeople

export default feature(
  { participants, invite: inviting, uninvite: uninviting },
  (app) => ({
    participants: (call) => listParticipants(app, call),
    invite: (call) => invite(app, call),
    uninvite: (call) => uninvite(app, call),
  }),
  {
    on: {
      'workspace_member.deleted': (app, { payload, about }) =>
        leaveChats(app, about.workspace_id!, payload.metadata.user_id),
    },
  },
)
