import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { ProcessRuntime } from '../../../daemon/runtime/process/runtime.ts'
import { runtimeContract } from './runtime-contract.ts'

const programs = new URL('../../../daemon/runtime/spool/', import.meta.url).pathname

describe('process runtime', () => {
  runtimeContract(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-process-'))
    return {
      open: () => new ProcessRuntime({ folder, programs }),
      cleanUp: async () => rmSync(folder, { recursive: true, force: true }),
    }
  })
})
