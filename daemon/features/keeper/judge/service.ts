import type { JudgeWire } from '#contract/keeper'
import type { App } from '#kernel/app'
import { OutboundError } from '#kernel/outbound/outbound'
import { wires } from '../../../providers/wires.ts'
import { aboutCredentials, type Matter } from './question.ts'
import { type Verdict, verdictIn } from './verdicts.ts'

/** A model that judges, and how it is asked. */
export interface Judge {
  wire: JudgeWire
  /** Address of its server. */
  url: string
  secret: string
  model: string
  timeoutMs: number
  /** The address is the operator's: it may be a private one. */
  operator: boolean
}

/** The judge gave no verdict. The message holds nothing of what it said. */
export class NoVerdict extends Error {}

/** Bytes of an answer: many times what a verdict or a list of models takes. */
const mostBytes = 1024 * 1024
const listingMs = 15_000

/** The address without the part that the wire adds itself. */
const baseOf = ({ url, wire }: Judge): string => url.replace(wires[wire].tail, '').replace(/\/+$/, '')

/** The models that the server of a judge lists; null when it has no list. Throws `NoVerdict`. */
export async function modelsOf(app: App, judge: Judge): Promise<string[] | null> {
  const wire = wires[judge.wire]
  const { status, answer } = await exchange(app, judge, 'GET', wire.list, listingMs)
  if (status === 404 || status === 405) return null
  if (status !== 200) throw new NoVerdict(`The server answered ${status}`)
  return wire.models(answer)
}

interface Asking {
  timeoutMs?: number
  matter?: Matter
}

/** What the judge says to a question, and in which words; throws `NoVerdict`. */
export async function askJudge(
  app: App,
  judge: Judge,
  prompt: string,
  { timeoutMs = judge.timeoutMs, matter = aboutCredentials }: Asking = {},
): Promise<Verdict & { text: string }> {
  const wire = wires[judge.wire]
  const { path, body } = wire.ask({ model: judge.model, ...matter, prompt })
  const { status, answer } = await exchange(app, judge, 'POST', path, timeoutMs, body)
  if (status !== 200) throw new NoVerdict(`The server answered ${status}`)
  const text = wire.text(answer)
  const verdict = text === null ? null : verdictIn(text, matter.schema.properties.decision.enum)
  if (!verdict) throw new NoVerdict('The answer holds no verdict')
  return { ...verdict, text: text! }
}

async function exchange(
  app: App,
  judge: Judge,
  method: 'GET' | 'POST',
  path: string,
  timeoutMs: number,
  body?: object,
): Promise<{ status: number; answer: unknown }> {
  try {
    const { status, text } = await app.outbound.send(`${baseOf(judge)}${path}`, {
      method,
      headers: { ...wires[judge.wire].headers(judge.secret), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      operator: judge.operator,
      timeoutMs,
      maxBytes: mostBytes,
      signal: app.stopping.signal,
    })
    return { status, answer: status === 200 ? JSON.parse(text) : null }
  } catch (error) {
    if (error instanceof OutboundError) throw new NoVerdict(error.message)
    if (error instanceof SyntaxError) throw new NoVerdict('The server did not answer with JSON')
    throw error
  }
}
