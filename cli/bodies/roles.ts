import { oneOf } from '../flags.ts'

/** Roles that one person gives another; ownership is handed over. */
export const givenRoles = ['VIEWER', 'MEMBER', 'MANAGER', 'ADMIN'] as const

export const givenRoleFlag = { role: oneOf(givenRoles, { description: 'MEMBER unless stated' }) }
