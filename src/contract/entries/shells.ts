import { Type } from 'typebox'
import { audit } from './define.ts'

/** Why a shell ended. */
export const shellEnds = ['left', 'disconnected', 'signed_out', 'refused', 'container', 'daemon', 'too_long'] as const
export type ShellEnd = (typeof shellEnds)[number]

const ends: Record<ShellEnd, string> = {
  left: '',
  disconnected: ', when the connection was lost',
  signed_out: ', when the session was revoked',
  refused: ', when the right to it was lost',
  container: ', when the container stopped',
  daemon: ', when the daemon stopped',
  too_long: ', when its time was up',
}

export const shellFacts = {
  'shell.opened': audit(
    'audit.entity_created',
    'shell',
    Type.Object({}),
    (_given, { actor, agent, crew }) => `${actor} opened a shell as ${agent} in the crew ${crew}`,
    { action: 'shell.open' },
  ),
  'shell.closed': audit(
    'audit.entity_deleted',
    'shell',
    Type.Object({ seconds: Type.Integer(), reason: Type.Enum([...shellEnds]) }),
    ({ metadata: { seconds, reason } }, { actor, agent, crew }) =>
      `The shell of ${actor} as ${agent} in the crew ${crew} ended after ${seconds} s${ends[reason]}`,
    { action: 'shell.close' },
  ),
}
