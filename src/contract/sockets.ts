import { Type } from 'typebox'
import { get } from './define.ts'

export const sockets = {
  token: get('/ws-token', {
    summary: 'Get a token for the first frame of a WebSocket, good for 15 minutes',
    access: 'signed-in',
    reply: Type.Object({ token: Type.String() }),
  }),
}
