import type { Choice } from '../decisions/choices.ts'
import { choicesOf, type Decision, type Detail, wordsOf } from '../inbox/decisions.ts'
import { ask, choose, emptyFlaw } from '../input.ts'
import { clean } from '../output/clean.ts'
import { spinner } from '../output/spinner.ts'

/**
 * Asks the person at the terminal what to decide; null when it is left to the inbox. `undo`: how long the decision can
 * be taken back, in milliseconds.
 */
export async function offer(item: Detail, undo: number, signal?: AbortSignal): Promise<Decision | null> {
  // A question that ends the turn was said by the agent already.
  if (item.body_md && item.kind !== 'run_needs_human') process.stderr.write(`${clean(item.body_md).trim()}\n`)
  for (;;) {
    const choices = choicesOf(item).map((it) => ({
      name: it.label,
      value: it,
      ...(it.effect && { description: it.effect }),
    }))
    const later = { name: 'Later', value: null, description: 'It stays in your inbox.' }
    const choice = await choose<Choice | null>(item.title, [...choices, later], signal)
    if (!choice) return null
    const text = choice.text?.required ? (await ask(`${choice.label}:`, emptyFlaw, signal)).trim() : undefined
    if (await stands(choice, undo)) return { item, choice, ...(text && { text }) }
  }
}

/** Whether the decision is not taken back in time. */
function stands(choice: Choice, undo: number): Promise<boolean> {
  if (undo <= 0) return Promise.resolve(true)
  const { stdin, stderr } = process
  const until = Date.now() + undo
  const text = () => `${wordsOf(choice)[0]} in ${Math.ceil((until - Date.now()) / 1000)} s · u takes it back`
  const mark = spinner(text(), stderr)
  const clock = setInterval(() => mark.say(text()), 1000)
  stdin.setRawMode(true)
  stdin.resume()
  return new Promise<boolean>((resolve) => {
    const end = (stood: boolean) => {
      clearTimeout(timer)
      stdin.off('data', press)
      resolve(stood)
    }
    const press = (keys: Buffer | string) => {
      if (/[u\u0003]/.test(String(keys))) end(false)
    }
    const timer = setTimeout(() => end(true), undo)
    stdin.on('data', press)
  }).finally(() => {
    clearInterval(clock)
    mark.stop()
    stdin.setRawMode(false)
    stdin.pause()
  })
}
