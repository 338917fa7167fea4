import type { Static } from 'typebox'
import type { User as Schema } from '#contract/users'
import type { View } from '../output/printer.ts'

export type User = Static<typeof Schema>

export const userView: View<User> = {
  name: ({ email }) => email,
  columns: {
    Email: ({ email }) => email,
    Name: ({ full_name }) => full_name,
    Id: ({ id }) => id,
    Picture: ({ avatar_url }) => avatar_url,
  },
}
