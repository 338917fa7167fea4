import { status } from '../output/cell.ts'
import type { View } from '../output/printer.ts'
import type { Waited } from '../runs/wait.ts'

/** What became of waiting for a run, and where a person decides. */
export type WaitResult = Omit<Waited, 'status'> & {
  status: Waited['status'] | 'RUNNING'
  timed_out: boolean
  url: string | null
  command: string | null
}

export const waitView: View<WaitResult> = {
  name: ({ status }) => status,
  columns: {
    Run: ({ run_id }) => run_id,
    Status: (it) =>
      it.status === 'NEEDS_HUMAN' ? { text: 'needs a human', value: it.status, tone: 'yellow' } : status(it.status),
    'Exit code': ({ exit_code }) => exit_code,
    Error: ({ error }) => (error ? { text: error, tone: 'red' } : null),
    Inbox: ({ inbox_id }) => inbox_id,
    Question: ({ title }) => title,
    URL: ({ url }) => url,
    Next: ({ command }) => command,
  },
}
