import type { Delivery } from '#contract/frames'

/** A message that was said while the agent works; `begin` when it has a turn unless it was told in this one. */
export interface Steered {
  id: string
  text: string
  begin: boolean
  delivery: Delivery
}

/** Under messages that the agent does not have yet. */
export const markOf = (steered: readonly Steered[]): string =>
  steered.some(({ delivery }) => delivery === 'pending')
    ? "waiting for the agent's next step"
    : 'queued for the next turn'

/** Under a message of which nothing else becomes known. */
export const fateOf = (delivery: Delivery): string =>
  delivery === 'delivered'
    ? 'Delivered: the agent has it while it works.'
    : 'Queued: the agent reads it with its next turn.'
