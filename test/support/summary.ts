import type { Reporter, TestModule } from 'vitest/node'

/** Closes a run with what was left out, and why, and one plain line of counts. */
export default class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    const reasons = new Map<string, Set<string>>()
    for (const module of modules) {
      if (module.state() === 'failed' && [...module.children.allTests()].length === 0) counts.failed++
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed' || state === 'failed') counts[state]++
        else counts.skipped++
      }
      const why = (module.meta() as { leftOut?: string }).leftOut
      if (why) reasons.set(why, (reasons.get(why) ?? new Set()).add(module.relativeModuleId))
    }
    for (const [why, files] of reasons)
      process.stdout.write(`\nLeft out: ${why}\n${[...files].map((file) => `  ${file}\n`).join('')}`)
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`)
  }
}
