import type { Ready } from '../local/daemon.ts'
import { span } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const daemonView: View<Partial<Ready> & { uptime?: number }> = {
  name: ({ url }) => url ?? '',
  columns: {
    Url: ({ url }) => url,
    Socket: ({ socket }) => socket,
    Process: ({ pid }) => pid,
    Version: ({ version }) => version,
    Up: ({ uptime }) => (uptime === undefined ? null : { text: span(uptime), value: uptime }),
  },
}
