import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProcessRuntime } from '../../daemon/runtime/process/runtime.ts'
import { ending } from './endings.ts'

const programs = new URL('../../daemon/runtime/spool/', import.meta.url).pathname

/** A crew of local processes, for servers over standard streams; it is removed when the test ends. */
export async function localCrew(crewId: string): Promise<ProcessRuntime> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-servers-'))
  const runtime = new ProcessRuntime({ folder, programs })
  ending(async () => {
    await runtime.remove(crewId, { data: true })
    await runtime.close()
    rmSync(folder, { recursive: true })
  })
  const network = { mode: 'free' as const, allowedDomains: [], allowPrivateEndpoints: false }
  const spec = { crewId, slug: 'crew', workspaceId: 'w', image: '', memoryMb: 512, cpus: 1, network, agents: [] }
  await runtime.ensure(spec, { step() {} })
  return runtime
}
