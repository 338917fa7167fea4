import type { Reply } from '#contract/define'
import { channelVariable } from '#contract/manifest-members'
import type { manifests } from '#contract/manifests'
import type { Action, Flaw } from './types.ts'

type Need = Reply<typeof manifests.apply>['needs'][number]

/** The variable that gives a new thing its value; null where it has none. */
function variableOf({ action, kind, name, members }: Action): string | null {
  if (action !== 'create') return null
  if (kind === 'Credential') return name
  return kind === 'NotificationChannel' && members['type'] !== 'email' ? channelVariable(name) : null
}

/** What is new and was given no value. */
export const needed = (actions: readonly Action[], values: Readonly<Record<string, string>>): Action[] =>
  actions.filter((it) => {
    const env = variableOf(it)
    return env !== null && values[env] === undefined
  })

export const needOf = (action: Action): Need => ({
  env: variableOf(action)!,
  label: labelOf(action),
  help_url: (action.members['help_url'] as string | null | undefined) ?? null,
  required: action.members['required'] !== false,
})

function labelOf({ kind, name, members }: Action): string | null {
  if (kind === 'Credential') return (members['account_label'] as string | null | undefined) ?? null
  return members['type'] === 'webhook' ? `what signs the webhook ${name}` : `the service URL of the channel ${name}`
}

/** A new thing that needs a value and has none, as a mistake in its document. */
export const withoutValue = (action: Action): Flaw => ({
  document: action.resource!.document,
  path: action.resource!.nameAt,
  detail:
    action.kind === 'Credential'
      ? `The new credential ${action.name} has no value; values are never in files`
      : `The new channel ${action.name} has no value: ${variableOf(action)} is ${labelOf(action)}`,
})
