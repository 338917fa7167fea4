import { type EvaluatorSlot, evaluatorSlots } from '#contract/keeper'
import type { VendorSetting } from '#kernel/settings'

const members = ['provider', 'model', 'timeout'] as const

const says = {
  provider: 'Who judges',
  model: 'Model that judges',
  timeout: 'Milliseconds for a judgement on',
} as const

const setting = (slot: EvaluatorSlot, member: (typeof members)[number]): VendorSetting => ({
  path: `keeper.aux.${slot}.${member}`,
  env: `SVC_AUX_${slot.toUpperCase()}_${member.toUpperCase()}`,
  kind: 'string',
  fallback: '',
  summary: `${says[member]} ${slot.replace('_', ' ')}`,
})

/** What the operator's environment says of who judges what beside credentials. */
export const evaluatorSettings: readonly VendorSetting[] = evaluatorSlots.flatMap((slot) =>
  members.map((member) => setting(slot, member)),
)

/** The value of one of these settings; empty where the environment says nothing. */
export const evaluatorSetting = (
  vendor: Readonly<Record<string, string>>,
  slot: EvaluatorSlot,
  member: (typeof members)[number],
): string => vendor[`keeper.aux.${slot}.${member}`] ?? ''
