import { rooms } from '#contract/rooms'
import { feature } from '#kernel/feature'
import { afterRun, leaveAgent } from './answers/service.ts'
import { continueRoom, createRoom } from './openings/service.ts'
import { listMessages, sendMessage } from './sending/service.ts'
import { leaveRooms, listRooms, readRoom, showRoom, workspaceOfRoom } from './service.ts'
import { roomSource } from './source.ts'

const ended = { writes: ['run.started', 'agent.status_change'], run: afterRun } as const

export default feature(
  rooms,
  (app) => ({
    list: (call) => listRooms(app, call),
    create: (call) => createRoom(app, call),
    show: ({ actor, conversationId }) => showRoom(app, actor, conversationId),
    messages: (call) => listMessages(app, call),
    send: (call) => sendMessage(app, call),
    continue: (call) => continueRoom(app, call),
    read: (call) => readRoom(app, call),
  }),
  {
    sources: { room: roomSource },
    channels: { room: workspaceOfRoom },
    on: {
      'workspace_member.deleted': leaveRooms,
      'agent.deleted': leaveAgent,
      'run.completed': ended,
      'run.failed': ended,
      'run.cancelled': ended,
      'run.timeout': ended,
    },
  },
)
