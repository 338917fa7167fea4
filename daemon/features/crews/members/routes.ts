import { crewMembers } from '#contract/crew-members'
import { feature } from '#kernel/feature'
import { addMember, forgetCrewMemberships, listMembers, removeMember, setMember } from './service.ts'

export default feature(
  crewMembers,
  (app) => ({
    members: (call) => listMembers(app, call),
    addMember: (call) => addMember(app, call),
    setMember: (call) => setMember(app, call),
    removeMember: (call) => removeMember(app, call),
  }),
  {
    on: {
      'workspace_member.deleted': (app, { payload, about }) =>
        forgetCrewMemberships(app, about.workspace_id!, payload.metadata.user_id),
    },
  },
)
