import type { Static } from 'typebox'
import type { PortExposure } from '#contract/ports'
import { age, status, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const portView: View<Static<typeof PortExposure>> = {
  name: ({ id }) => id,
  empty: 'No port is open. An agent opens one when it has something to show.',
  columns: {
    ID: ({ id }) => id,
    AGENT: ({ agent_slug }) => agent_slug,
    PORT: ({ container_port }) => String(container_port),
    STATUS: (it) => status(it.status),
    EXPIRES: ({ expires_at }) => when(expires_at),
    DESCRIPTION: ({ description }) => description,
    AGE: ({ created_at }) => age(created_at),
  },
}
