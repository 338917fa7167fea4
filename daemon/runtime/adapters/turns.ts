import type { Reading } from './parser.ts'

/** Counts the turns of a model whose client does not tell them: what it does after results of tools is another. */
export function turnsByResults() {
  let answered = true
  return {
    /** The model says something or calls a tool. */
    acts({ turn }: Reading): void {
      if (answered) turn()
      answered = false
    },
    /** A tool has answered. */
    results(): void {
      answered = true
    },
  }
}
