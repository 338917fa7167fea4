import type { Buffer } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { SidecarReport } from '../types.ts'
import { whoCalls } from './admission.ts'
import type { Compiled } from './config.ts'

/** Looks for decoys in what agents send, before it goes anywhere. */
export interface DecoyWatch {
  /** Whether the head of a request holds one. */
  inHead(request: IncomingMessage, uid: number | null): boolean
  /** For the body of a request: whether a decoy is complete with this piece. Null where none is looked for. */
  ofBody(request: IncomingMessage, uid: number | null): ((chunk: Buffer) => boolean) | null
}

export const notLetOut = 'Muster did not let this out.'

interface Parts {
  config(): Compiled | null
  report(report: SidecarReport): void
}

export function createDecoyWatch({ config, report }: Parts): DecoyWatch {
  function tell(tripwireId: string, request: IncomingMessage, uid: number | null): true {
    const current = config()
    const called = whoCalls(request, current, uid)
    const agent = current?.ownerOf(uid) ?? ('agentId' in called ? called : null)
    report({ type: 'decoy_sent', tripwireId, agentId: agent?.agentId ?? null, host: hostOf(request) })
    return true
  }

  return {
    inHead(request, uid) {
      const found = config()?.decoys?.in(`${request.url}\n${request.rawHeaders.join('\n')}`) ?? null
      return found !== null && tell(found, request, uid)
    },
    ofBody(request, uid) {
      const find = config()?.decoys?.stream()
      if (!find) return null
      return (chunk) => {
        const found = find(chunk)
        return found !== null && tell(found, request, uid)
      }
    },
  }
}

/** Where it was to go. The decoy may stand in the path, so that is left out. */
function hostOf({ url = '', method, headers }: IncomingMessage): string {
  const host = method === 'CONNECT' ? url : (/^http:\/\/([^/?#]*)/i.exec(url)?.[1] ?? 'a model service')
  return host.slice(0, 255) || String(headers.host ?? '').slice(0, 255)
}
