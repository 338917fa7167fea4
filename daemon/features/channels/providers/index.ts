import { discord, googlechat, matrix, mattermost, slack, teams, telegram } from './chat.ts'
import { gotify, ntfy, opsgenie, pushover } from './push.ts'
import type { Provider } from './types.ts'

export const providerCategories = [
  { key: 'chat', label: 'Chat', hint: 'Where a team talks' },
  { key: 'push', label: 'Push', hint: 'To phones and desktops' },
  { key: 'incident', label: 'Incidents', hint: 'For those who are on call' },
]

/** All services that channels can send to. */
export const providers: readonly Provider[] = [
  discord,
  slack,
  telegram,
  ntfy,
  gotify,
  pushover,
  mattermost,
  matrix,
  teams,
  googlechat,
  opsgenie,
]

export const providerCalled = (name: string): Provider | undefined => providers.find((it) => it.provider === name)
