import type { ModelAccess } from './adapter.ts'

/** A command that a client runs between two steps of its agent. */
export interface Hook {
  type: 'command'
  command: string
  /** In the client's own unit. */
  timeout: number
}

/** How long an agent waits at most for a sidecar, in seconds, when the daemon does not answer. */
const patience = 2

/** What the sidecar answers while nothing waits, and before the daemon is there, ends the command at once. */
const script = (event: string): string =>
  `
ask() {
  printf 'authorization: Bearer %s\\nx-svc-run-id: %s\\n' "$SVC_AGENT_TOKEN" "$SVC_RUN_ID" |
    curl -sf -m ${patience} --noproxy '*' -H @- -d "$2" "$SVC_SIDECAR_URL$1"
}
said=$(ask /notes '{}') || exit 0
case $said in '{"receipt":"'*) ;; *) exit 0 ;; esac
receipt=\${said#'{"receipt":"'}
printf '{"hookSpecificOutput":{"hookEventName":"${event}","additionalContext":%s}' "\${said#*'"text":'}"
ask /notes/taken "{\\"receipt\\":\\"\${receipt%%\\"*}\\"}" > /dev/null
exit 0
`.trim()

/**
 * The hook of a client that gives what it prints as `additionalContext` to the model: asks the sidecar for notes that
 * wait for the run, and acknowledges them once they are printed. Null without a sidecar.
 */
export const noteHook = (access: ModelAccess, event: string, timeout: number): Hook | null =>
  access.via === 'sidecar' ? { type: 'command', command: script(event), timeout } : null
