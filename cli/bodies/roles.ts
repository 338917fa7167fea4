import { givenRoles } from '#client/words'
import { oneOf } from '../flags.ts'

/** A role that one person gives another; ownership is handed over. */
export const givenRoleFlag = { role: oneOf(givenRoles, { description: 'role to give (default MEMBER)' }) }
