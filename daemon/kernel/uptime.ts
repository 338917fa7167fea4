import type { App } from './app.ts'

/** How long this process runs, as `3h12m`. */
export function uptime({ clock, startedAt }: App): string {
  const minutes = Math.floor((clock() - startedAt) / 60_000)
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h${minutes % 60}m`
}
