import type { Readable } from 'node:stream'
import type { Engine } from './engine.ts'
import { labelFilter, labels, type Naming } from './names.ts'

const firstPauseMs = 1000
const longestPauseMs = 60_000

/** Reports crews whose containers started or stopped. Reconnects to the engine with growing delays. */
export function watchEvents(engine: Engine, naming: Naming, changed: (crewId: string) => void): { close(): void } {
  const filters = { type: ['container' as const], event: ['die', 'oom', 'start', 'destroy'], ...labelFilter(naming) }
  let stream: Readable | null = null
  let timer: NodeJS.Timeout | null = null
  let closed = false
  let pause = firstPauseMs

  function again(): void {
    if (closed || timer) return
    stream?.destroy()
    timer = setTimeout(listen, pause).unref()
    pause = Math.min(pause * 2, longestPauseMs)
  }

  async function listen(): Promise<void> {
    timer = null
    try {
      const events = (await engine.getEvents({ filters })) as unknown as Readable
      if (closed) return void events.destroy()
      stream = events
      pause = firstPauseMs
      let rest = ''
      events.on('data', (chunk) => {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop()!
        for (const line of lines) tell(line)
      })
      events.on('error', again).on('close', again).on('end', again)
    } catch {
      again()
    }
  }

  function tell(line: string): void {
    if (!line) return
    const { Actor } = JSON.parse(line) as { Actor?: { Attributes?: Record<string, string> } }
    const about = Actor?.Attributes ?? {}
    const crewId = about[labels.crew]
    if (crewId && about[labels.kind] !== 'ender') changed(crewId)
  }

  void listen()
  return {
    close() {
      closed = true
      if (timer) clearTimeout(timer)
      stream?.destroy()
    },
  }
}
