import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['development'] },
  ssr: { resolve: { conditions: ['development'] } },
  test: { include: ['test/**/*.test.ts'], testTimeout: 20_000, hookTimeout: 60_000, pool: 'forks' },
})
