import { join } from 'node:path'
import { type Door, instanceId, instanceKeyFile, instanceProof, isInstanceKey } from '#client/instance'
import { fileSecret, setAside } from './store/data-dir.ts'

/** Whose daemon this is, for those who can read its data folder. docs/decisions/cli.md, "Identity". */
export interface Instance {
  prove(challenge: string, asked: { localAddress?: string; localPort?: number }): { id: string; proof: string }
}

/** The instance of a data folder, made on first use, and anew where its key is none. */
export function openInstance(dir: string): Instance {
  let key = fileSecret(dir, instanceKeyFile)
  if (!isInstanceKey(key)) {
    setAside(join(dir, instanceKeyFile))
    key = fileSecret(dir, instanceKeyFile)
  }
  const id = instanceId(key)
  return {
    prove(challenge, { localAddress: address, localPort: port }) {
      const door: Door = { address, port }
      return { id, proof: instanceProof(key, challenge, door) }
    },
  }
}
