import type { ModelAccess } from './adapter.ts'

/** Seconds that a client waits for a hook, in which the sidecar has surely answered. */
export const hookSeconds = 10

/** What clients call the moment before a call of a tool. */
export const beforeCall = 'PreToolUse'

/** Seconds that a client waits for a call that is held so long: the daemon answers first. */
export const heldFor = (ms: number): number => Math.ceil(ms / 1000) + 2

/** The variables of the agent that a hook needs. */
export const hookVariables = ['SVC_AGENT_TOKEN', 'SVC_RUN_ID'] as const

/** What a hook that is a call of its own says to the sidecar. */
export const hookHeaders = (event: string): Record<string, string> => ({
  authorization: 'Bearer $SVC_AGENT_TOKEN',
  'x-svc-run-id': '$SVC_RUN_ID',
  'x-hook-event': event,
})

/** Where the sidecar tells a hook what waits for its agent; null without a sidecar. */
export const hookAddress = (access: ModelAccess): string | null =>
  access.via === 'sidecar' ? `${access.origin}/hook` : null

/** A command that prints what the sidecar tells. It is in no file, and holds no secret. */
function script(event: string): string {
  const lines = Object.entries(hookHeaders(event)).map(([name, value]) => `"${name}: ${value}"`)
  const call = `curl -sf -m ${hookSeconds / 2} --noproxy '*' -X POST -H @- "$SVC_SIDECAR_URL/hook"`
  return `printf '%s\\n' ${lines.join(' ')} | ${call}; true`
}

/** A command that a client runs between two steps of its agent, and gives its output to the model. */
export interface CommandHook {
  type: 'command'
  command: string
  /** In the client's own unit. */
  timeout: number
}

/** A hook for clients that run commands; null without a sidecar. */
export const commandHook = (access: ModelAccess, event: string, timeout: number): CommandHook | null =>
  hookAddress(access) === null ? null : { type: 'command', command: script(event), timeout }
