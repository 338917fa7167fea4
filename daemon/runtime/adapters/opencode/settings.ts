import type { VendorSetting } from '#kernel/settings'

export const command: VendorSetting = {
  path: 'process.opencode_command',
  env: 'SVC_OPENCODE_COMMAND',
  kind: 'string',
  fallback: 'opencode',
  summary: 'Program of OPENCODE agents in the process runtime',
}
