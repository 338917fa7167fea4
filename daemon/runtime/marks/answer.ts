import { RuntimeError } from '../errors.ts'
import type { Answers, MarksRequest } from './wire.ts'

/** What the program that marks files printed. Rejects with why it did not do what it was asked. */
export function answerIn<R extends MarksRequest>(printed: string): Answers[R['op']] {
  const { answer, refused } = JSON.parse(printed) as { answer?: Answers[R['op']]; refused?: string }
  if (answer === undefined) throw new RuntimeError('refused', refused ?? 'the program said nothing')
  return answer
}
