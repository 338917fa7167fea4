import type { Static } from 'typebox'
import type { Room } from '#contract/rooms'

type Shown = Static<typeof Room>

/** What people call a room: its title, or the people of a direct one. */
export const calledRoom = ({ title, members }: Pick<Shown, 'title' | 'members'>, me?: string): string =>
  title ??
  members
    .filter(({ user_id }) => user_id !== me)
    .map(({ full_name, user_id }) => full_name ?? user_id)
    .join(', ')
