import type { Static } from 'typebox'
import type { Client, Connection } from '#client'
import type { Room } from '#contract/rooms'
import { memoryFile, openMemory } from '../chat/memory.ts'
import { InputError } from '../input.ts'
import { calledRoom } from './called.ts'
import { RoomSession } from './session.ts'

interface Entering {
  api: Client
  connection: Connection
  explain(error: unknown): { what: string; next?: string }
  /** What scripts type. */
  instead: string
}

const signals = { SIGTERM: 143, SIGHUP: 129 } as const

/** Talks in a room at the terminal; resolves with the exit code. */
export async function enterRoom(
  { api, connection, explain, instead }: Entering,
  find: () => Promise<Static<typeof Room>>,
): Promise<number> {
  const { stdin, stdout } = process
  if (!stdin.isTTY || !stdout.isTTY) throw new InputError('A room needs a terminal at both ends.', instead)
  if (process.env['TERM'] === 'dumb')
    throw new InputError('This terminal cannot move its cursor (TERM is "dumb").', instead)
  const [room, { id: me }] = await Promise.all([find(), api.users.me()])
  const people = `${room.members.length} ${room.members.length === 1 ? 'member' : 'members'}`
  const session = new RoomSession({
    api,
    connection,
    room,
    me,
    explain,
    header: [
      [calledRoom(room, me), !room.is_direct && people, room.agent && `@${room.agent.slug}`]
        .filter(Boolean)
        .join(' · '),
      'Enter sends · Ctrl-D leaves · /help',
    ],
    memory: openMemory(memoryFile(connection.target.key, room.id)),
    input: stdin,
    output: stdout,
  })
  return session.run(leaving())
}

function leaving(): AbortSignal {
  const leave = new AbortController()
  for (const [signal, code] of Object.entries(signals)) process.once(signal, () => leave.abort(code))
  return leave.signal
}
