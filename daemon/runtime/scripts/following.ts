import type { ScriptEnd } from '#kernel/scripts'
import { pause } from '../runs/waiting.ts'
import type { RunEnd, RunRef, Runtime } from '../types.ts'

const retryMs = 1000

interface Options {
  /** Output beyond this many bytes ends the script. */
  most: number
  /** It is to be ended. */
  ended: AbortSignal
  /** Ended, or left to a later daemon. */
  stopped: AbortSignal
  /** Why the crew cannot be reached any more; null once it can. */
  reach(): Promise<string | null>
}

/** Reads a script's output to its end; null when it is left to a later daemon. */
export async function followScript(runtime: Runtime, ref: RunRef, options: Options): Promise<ScriptEnd | null> {
  const { most, ended, stopped, reach } = options
  const said: Buffer[] = []
  let size = 0
  const end = () => void runtime.endRun(ref).catch(() => undefined)
  const take = (chunk: Buffer) => {
    if (size <= most && size + chunk.length > most) end()
    size += chunk.length
    if (size <= most) said.push(Buffer.from(chunk))
  }
  ended.addEventListener('abort', end, { once: true })
  if (ended.aborted) end()
  try {
    for (;;) {
      const found = await once(runtime, ref, size, take, () => stopped.aborted && !ended.aborted, stopped)
      if (found === null) return null
      if ('end' in found) return endOf(found.end, found.stderr, said, size > most)
      await pause(retryMs, stopped)
      const away = await reach()
      if (away) return { kind: 'lost', reason: away }
      if (stopped.aborted) return null
    }
  } finally {
    ended.removeEventListener('abort', end)
  }
}

type Found = { end: RunEnd; stderr: string } | { broken: Error } | null

/** One pass over the output; null when it is left to a later daemon. */
function once(
  runtime: Runtime,
  ref: RunRef,
  offset: number,
  data: (chunk: Buffer) => void,
  isLeft: () => boolean,
  stopped: AbortSignal,
): Promise<Found> {
  return new Promise((resolve) => {
    const leave = () => {
      if (!isLeft()) return
      follow.close()
      resolve(null)
    }
    const over = (found: Found) => {
      stopped.removeEventListener('abort', leave)
      resolve(found)
    }
    const follow = runtime.follow(ref, offset, {
      data,
      end: (end, stderr) => over({ end, stderr }),
      broken: (broken) => over({ broken }),
    })
    stopped.addEventListener('abort', leave, { once: true })
    leave()
  })
}

function endOf(end: RunEnd, stderr: string, said: Buffer[], tooMuch: boolean): ScriptEnd {
  if (tooMuch) return { kind: 'too_much' }
  if (end.kind === 'lost') return { kind: end.never ? 'never' : 'lost', reason: end.reason }
  if (end.kind === 'signal') return { kind: 'signal', signal: end.signal, stderr }
  if (end.timedOut) return { kind: 'too_late' }
  return { kind: 'exit', code: end.code, stdout: Buffer.concat(said).toString('utf8'), stderr }
}
