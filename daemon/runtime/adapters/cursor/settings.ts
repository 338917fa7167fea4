import type { VendorSetting } from '#kernel/settings'

export const command: VendorSetting = {
  path: 'process.cursor_command',
  env: 'SVC_CURSOR_COMMAND',
  kind: 'string',
  fallback: 'cursor-agent',
  summary: 'Program of CURSOR_CLI agents in the process runtime; such agents cannot be made yet',
}
