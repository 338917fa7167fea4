import { defineConfig } from 'vitest/config'

// Command line and daemon are tested as users run them.
const globalSetup = ['test/support/build.ts', 'test/support/usual-port.ts']

/** Built programs as processes, without containers: they share no engine, so several files run at once. */
const processes = [
  'test/e2e/{claude-cli,crash,daily,drain,identity,identity-provider,mail,pages,ports-browser}.test.ts',
  'test/e2e/{secrets,signals,start-failures,tls-proxy}.test.ts',
  'test/attack/{agent-tools,exposed-ports,full-disk,journal,lost-state,pipelining}.test.ts',
]

/**
 * Real containers, each file with an installation of its own, and nothing in them that is measured in time: two files
 * at once wait for the engine in turn.
 */
const containers = [
  'test/e2e/{asks,escalation,main-job,reconcile-docker,restart,sidecar-entry}.test.ts',
  'test/attack/{outliving-daemon,secrets-folders,smuggling,sockets-of-agents}.test.ts',
]

const shared = {
  resolve: { conditions: ['development'] },
  ssr: { resolve: { conditions: ['development'] } },
}

export default defineConfig({
  ...shared,
  test: {
    reporters: ['default', './test/support/summary.ts'],
    maxWorkers: 2,
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/attack/**'],
          globalSetup,
          testTimeout: 20_000,
          hookTimeout: 60_000,
          pool: 'forks',
        },
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
          sequence: { groupOrder: 1 },
          globalSetup,
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
          sequence: { groupOrder: 2 },
          globalSetup,
        },
      },
    ],
  },
})
