import type { WatchPreset } from '#contract/keeper'
import type { App } from '#kernel/app'
import { governanceOf } from './service.ts'

const presets: Readonly<Record<WatchPreset, string>> = {
  credentials: 'Reading, printing, copying or sending on of credentials, tokens and keys.',
  egress: 'Sending of files, code or data to hosts that the work does not need.',
  memory: 'Rewriting of memory, instructions or personas to change what agents will do later.',
  destructive: 'Deleting, overwriting or force-pushing of what cannot be brought back.',
  secret_files: 'Access to .env files, SSH and GPG keys, cloud configuration and browsers’ stores.',
}
/** Characters of what people want watched, as judges are told. */
const most = 8192

/** What the people of a workspace want watched; empty unless they govern it. */
export function watchPolicy(app: App, workspace: string): string {
  const { enabled, watch_presets, watch_spec } = governanceOf(app, workspace)
  if (!enabled) return ''
  return [...watch_presets.map((it) => `- ${presets[it]}`), watch_spec].filter(Boolean).join('\n').slice(0, most)
}
