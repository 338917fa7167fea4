import { allows, type Role } from '#contract/roles'

/** Why this caller may not give this member that role; null when they may. */
export function refusalOfChange({ caller, target, role }: { caller: Role; target: Role; role: Role }): string | null {
  if (!allows(target, caller)) return `A member with the role ${target} is above yours, ${caller}`
  if (!allows(role, caller) || role === caller) {
    const handOver = role === 'OWNER' && caller === 'OWNER' ? '; an OWNER hands the ownership over with a transfer' : ''
    return `You give roles below your own, ${caller}${handOver}`
  }
  return null
}
