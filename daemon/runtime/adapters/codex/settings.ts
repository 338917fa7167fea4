import type { VendorSetting } from '#kernel/settings'

export const command: VendorSetting = {
  path: 'process.codex_command',
  env: 'SVC_CODEX_COMMAND',
  kind: 'string',
  fallback: 'codex',
  summary: 'Program of CODEX_CLI agents in the process runtime',
}
