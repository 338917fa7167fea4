import type { Ask } from '../../daemon/runtime/sidecar/control.ts'

/** A daemon that has notes for the run of an agent, and nothing else to say. */
export function waitingNotes() {
  const waiting: string[] = []
  const taken: string[] = []
  const asked: { route: string; runId: string | null }[] = []
  const handed = new Map<string, string>()
  const answer: Ask = ({ id, route, runId, body }) => {
    asked.push({ route, runId })
    return { answer: Promise.resolve(said(id, route, body)), hangUp: () => undefined }
  }
  function said(id: string, route: string, body: unknown) {
    if (route === '/notes') {
      const text = waiting.splice(0).join('\n\n')
      if (text) handed.set(id, text)
      return { status: 200, body: { receipt: text ? id : null, text } }
    }
    if (route !== '/notes/taken') return { status: 503, body: {} }
    const text = handed.get((body as { receipt: string }).receipt)
    if (text) taken.push(text)
    return { status: 200, body: { taken: text ? 1 : 0 } }
  }
  return { leave: (text: string) => void waiting.push(text), taken, asked, ask: answer }
}
