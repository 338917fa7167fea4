import { TestRunner } from 'vitest'

/** Says in the summary of the run why the tests of this file were left out. To be called while the file is read. */
export function leaveOut(why: string | false): void {
  const { file } = TestRunner.getCurrentSuite()
  if (why && file) (file.meta as { leftOut?: string }).leftOut = why
}
