import { Disbelieved } from '#client/dsse'

/** What a receipt speaks of: the answer of the agent, or a file. */
export interface Subject {
  name: string
  sha256: string
  kind: 'answer' | 'file'
  /** The bytes of a name that is no UTF-8 text. */
  bytes?: Buffer
}

interface Who {
  id: string
  name: string | null
}

interface Place {
  seq: number
  id: string
  hash: string
}

/** The predicate of a receipt, as docs/receipts.md describes it. */
export interface Claims {
  issued_at: string
  issuer: { installation: string; muster: string }
  run: {
    id: string
    workspace_id: string
    trigger_type: string
    status: string
    started_at: string
    finished_at: string | null
  }
  requested_by: Who | null
  agent: { id: string; name: string; slug: string }
  delegated_by: { run_id: string; agent_slug: string }[]
  programs: { adapter: string; provider: string | null; model: string | null; image: { id: string } | null }[]
  client: { version: string | null; model: string | null }
  usage: { input_tokens: number | null; output_tokens: number | null; cost_usd: number | null }
  files: { complete: boolean; gaps: string[]; folders: string[]; other_runs: string[]; listed: number }
  decisions: { kind: string; state: string; outcome: string | null; settled_by: Who | null }[]
  journal: { first: Place; last: Place | null; head: { entries: number; id: string; hash: string; anchor: string } }
}

export interface Receipt {
  subjects: Subject[]
  claims: Claims
}

const statement = 'https://in-toto.io/Statement/v1'
const predicate = 'urn:muster:run-receipt:v1'

type Members = Record<string, unknown>
const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}

/** Reads the signed bytes of a receipt. Throws `Disbelieved` where they are none. */
export function readReceipt(payload: Buffer): Receipt {
  const { _type, predicateType, subject, predicate: claims } = membersOf(parse(payload))
  if (_type !== statement) throw new Disbelieved(`It is no in-toto statement of version 1: ${JSON.stringify(_type)}`)
  if (predicateType !== predicate)
    throw new Disbelieved(`It is a statement of another kind: ${JSON.stringify(predicateType)}`)
  if (!Array.isArray(subject)) throw new Disbelieved('It has no list of subjects')
  return { subjects: subject.map(subjectOf), claims: claimsOf(claims) }
}

function parse(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'))
  } catch {
    throw new Disbelieved('What is signed is not JSON')
  }
}

/** Whoever holds the key may have signed anything: what is shown has to be there. */
function claimsOf(value: unknown): Claims {
  const claims = membersOf(value)
  const objects = ['issuer', 'run', 'agent', 'client', 'usage', 'files', 'journal']
  const lists = ['delegated_by', 'programs', 'decisions']
  const { files, journal } = claims
  const whole =
    objects.every((name) => claims[name] === membersOf(claims[name])) &&
    lists.every((name) => Array.isArray(claims[name])) &&
    ['gaps', 'folders', 'other_runs'].every((name) => Array.isArray(membersOf(files)[name])) &&
    membersOf(journal)['head'] === membersOf(membersOf(journal)['head'])
  if (!whole) throw new Disbelieved('Members of the receipt are missing')
  return claims as unknown as Claims
}

function subjectOf(value: unknown): Subject {
  const { name, digest, annotations } = membersOf(value)
  const { sha256 } = membersOf(digest)
  const { kind, path_base64 } = membersOf(annotations)
  if (typeof name !== 'string' || typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
    throw new Disbelieved('A subject has no name or no SHA-256')
  if (kind !== 'answer' && kind !== 'file') throw new Disbelieved(`A subject is neither answer nor file: ${name}`)
  return { name, sha256, kind, ...(typeof path_base64 === 'string' && { bytes: Buffer.from(path_base64, 'base64') }) }
}
