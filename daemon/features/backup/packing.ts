import { Worker } from 'node:worker_threads'
import type { Made, PackJob, PackNews } from '#kernel/bundle/job'

/** How long a thread that failed may take to clear away what it began at the engine. */
const patienceMs = 10_000

/**
 * Packs a bundle in a thread of its own: compressing and encrypting would keep the event loop from requests. Ends it,
 * with nothing left of the bundle, when the signal aborts.
 */
export function packed(
  job: PackJob,
  signal: AbortSignal,
  wrote: (bytes: number) => void,
  program: URL = new URL('./packer.js', import.meta.url),
): Promise<Made> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(program, { workerData: job, name: 'muster-backup' })
    let fault: Error | undefined
    let made: Made | undefined
    const stop = () => {
      fault = new Error('The daemon is stopping')
      void worker.terminate()
    }
    signal.addEventListener('abort', stop, { once: true })
    worker.on('message', (news: PackNews) => {
      if ('wrote' in news) wrote(news.wrote)
      else if ('made' in news) made = news.made
      else {
        fault = Object.assign(new Error(news.fault), { code: news.code })
        setTimeout(() => void worker.terminate(), patienceMs).unref()
      }
    })
    worker.on('error', (error) => {
      fault = error as Error
    })
    worker.on('exit', (code) => {
      signal.removeEventListener('abort', stop)
      if (made && !fault) resolve(made)
      else reject(fault ?? new Error(`The packing thread ended with ${code}`))
    })
  })
}
