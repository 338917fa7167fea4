import { parentPort, workerData } from 'node:worker_threads'
import type { PackJob, PackNews } from '#kernel/bundle/job'
import { codeOf } from '#kernel/store/storage-fault'
import { pack } from './backup/pack.ts'
import { RuntimeError } from './runtime/errors.ts'

// The program of the thread that packs, compresses and encrypts a backup (daemon/features/backup/packing.ts).
const say = (news: PackNews): void => parentPort!.postMessage(news)

pack(workerData as PackJob, (wrote) => say({ wrote })).then(
  (made) => say({ made }),
  (error: Error) =>
    say({ fault: error.message, code: error instanceof RuntimeError ? `runtime_${error.kind}` : codeOf(error) }),
)
