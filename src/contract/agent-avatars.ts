import { Type } from 'typebox'
import { del, get, put } from './define.ts'

const changing = {
  access: 'MANAGER',
  crew: 'agentId',
  scope: 'agents:write',
  journal: ['audit.entity_updated'],
} as const

/** Pictures of agents: clients draw them from seed and style, and keep here what they drew. */
export const agentAvatars = {
  avatar: get('/agents/:agentId/avatar', {
    summary: 'Get the picture that is kept of an agent',
    access: 'VIEWER',
    kind: 'text',
    media: ['image/svg+xml'],
    throws: ['not_found'],
  }),
  setAvatar: put('/agents/:agentId/avatar', {
    summary: 'Keep a picture of an agent; it goes when its seed or style changes',
    ...changing,
    workspace: 'agent',
    body: Type.Object({
      svg: Type.String({
        minLength: 1,
        maxLength: 65_536,
        description: 'SVG without scripts, styles, links, declarations and comments',
      }),
    }),
    reply: Type.Object({ avatar_url: Type.String() }),
    throws: ['not_found', 'avatar_kept'],
  }),
  removeAvatar: del('/agents/:agentId/avatar', {
    summary: 'Remove the picture that is kept of an agent',
    ...changing,
    throws: ['not_found'],
  }),
}
