const endings: (() => unknown)[] = []
const endingsOfFile: (() => unknown)[] = []
const checks: (() => void)[] = []

/** Does this when the test ends, the last first. */
export const ending = (end: () => unknown): void => void endings.push(end)

/** Does this when the tests of the file are over, the last first. */
export const endingOfFile = (end: () => unknown): void => void endingsOfFile.push(end)

/** Checks this after each test, when everything has ended. */
export const checkAfterEach = (check: () => void): void => void checks.push(check)

/** Ends a test. */
export async function endTest(): Promise<void> {
  for (const end of endings.splice(0).reverse()) await end()
  for (const check of checks) check()
}

/** Ends a file of tests. */
export async function endFile(): Promise<void> {
  for (const end of endingsOfFile.splice(0).reverse()) await end()
}
