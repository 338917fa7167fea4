import type { Static } from 'typebox'
import type { User } from '#contract/users'
import type { View } from '../output/printer.ts'

export const userView: View<Static<typeof User>> = {
  name: ({ email }) => email,
  columns: { Email: ({ email }) => email, Name: ({ full_name }) => full_name, Id: ({ id }) => id, Picture: ({ avatar_url }) => avatar_url },
}
