import { Script } from 'node:vm'

/** Longest time that one pattern may take. */
const patienceMs = 100

const test = new Script('pattern.test(text)')

/** A pattern that has to fit a whole text; throws for one that is no regular expression. */
export function wholly(pattern: string): RegExp {
  try {
    new RegExp(pattern, 'u')
    return new RegExp(`^(?:${pattern})$`, 'u')
  } catch {
    new RegExp(pattern)
    return new RegExp(`^(?:${pattern})$`)
  }
}

/** Whether the text fits. Patterns come from people: one that takes too long fits nothing. */
export function fits(pattern: string, text: string): boolean {
  try {
    return test.runInNewContext({ pattern: wholly(pattern), text }, { timeout: patienceMs }) as boolean
  } catch {
    return false
  }
}
