import { defineConfig } from 'vitest/config'
import Sequence from './test/support/sequence.ts'

// Command line and daemon are tested as users run them.
const globalSetup = ['test/support/build.mjs', 'test/support/usual-port.ts']

/** Built programs as processes, without containers. */
const processes = [
  'test/e2e/{claude,codex,droid,gemini,opencode}-cli.test.ts',
  'test/e2e/droid-retries.test.ts',
  'test/e2e/{assignments,backup,crash,daily,drain,identity}.test.ts',
  'test/e2e/crash-{deliveries,memory,missions,routines,schedules}.test.ts',
  'test/e2e/{identity-provider,mail,newcomer,pages,ports-browser}.test.ts',
  'test/e2e/{routine-faults,secrets,signals,start-failures,tls-proxy}.test.ts',
  'test/attack/{agent-tools,exposed-ports,full-disk,full-disk-approvals,journal,lost-state,memory,pipelining}.test.ts',
]

/** Real containers, each file with an installation of its own, and nothing measured that other files change. */
const containers = [
  'test/e2e/{claude,codex,droid,gemini,opencode}.test.ts',
  'test/e2e/{asks,assignments-contained,backup-contained,blame,collisions,demo,egress,escalation,full-disk}.test.ts',
  'test/e2e/{issues,keeper,main-job,missions,ports,routine-update,script-steps,watched-agents}.test.ts',
  'test/e2e/{reconcile-docker,relay,relay-attack,restart,runtime-docker,shell,sidecar-entry,steering,undo}.test.ts',
  'test/e2e/{tool-servers,watch-writes}.test.ts',
  'test/attack/{clock-jumps,disk-hog,egress,outliving,outliving-daemon,secrets-folders,smuggling}.test.ts',
  'test/attack/{sockets-of-agents,tool-servers}.test.ts',
]

const shared = {
  resolve: { conditions: ['development'] },
  ssr: { resolve: { conditions: ['development'] } },
}

/** What a test waits for takes longer than a second on a busy machine. */
const expect = { poll: { timeout: 15_000 } }

const setupFiles = ['test/support/setup.ts']

/** A mock takes a module's place for whoever loads it later: such files have a worker each. */
const mocking = ['test/**/*.mocked.test.ts']

export default defineConfig({
  ...shared,
  test: {
    reporters: ['default', './test/support/summary.ts'],
    // Three more than the processors of a small machine: files that wait for containers leave time to the others.
    maxWorkers: 5,
    sequence: { sequencer: Sequence },
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/attack/**', ...mocking],
          globalSetup,
          setupFiles,
          expect,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          pool: 'forks',
          isolate: false,
          // A daemon for each test leaves much garbage. With more room, collecting it takes a tenth less of all time.
          execArgv: ['--max-semi-space-size=32'],
        },
      },
      {
        ...shared,
        test: { name: 'mocked', include: mocking, globalSetup, setupFiles, expect, pool: 'forks' },
      },
      {
        ...shared,
        test: {
          name: 'processes',
          include: processes,
          testTimeout: 120_000,
          hookTimeout: 300_000,
          pool: 'forks',
          globalSetup,
          setupFiles,
          expect,
        },
      },
      {
        ...shared,
        test: {
          name: 'containers',
          include: containers,
          testTimeout: 120_000,
          hookTimeout: 300_000,
          pool: 'forks',
          globalSetup,
          setupFiles,
          expect,
        },
      },
      // What is measured, what takes a machine's memory or processors, and what looks at the whole engine: one file at
      // a time, after all others.
      {
        ...shared,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts', 'test/attack/**/*.test.ts'],
          exclude: [...processes, ...containers],
          testTimeout: 120_000,
          hookTimeout: 300_000,
          pool: 'forks',
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          globalSetup,
          setupFiles,
          expect,
        },
      },
    ],
  },
})
