import { kinds } from '../keeper/cases.ts'
import type { Outcome, Score } from '../keeper/scores.ts'
import type { View } from '../output/printer.ts'

type Measured = Score & { stamp: string; outcomes: readonly Outcome[] }

const share = (count: number, { requests }: Score): string =>
  `${count} of ${requests} (${Math.round((100 * count) / Math.max(1, requests))} %)`
/** What a reader wants to look at: a wrong decision. */
const isWrong = ({ kind, decision }: Outcome): boolean =>
  kind === 'benign' ? decision === 'DENY' : decision === 'ALLOW'

export const measuredView: View<Measured> = {
  name: ({ stamp }) => stamp,
  columns: {},
  detail: {
    Judging: ({ stamp }) => stamp,
    'False allows': (it) => ({ text: share(it.false_allows, it), tone: it.false_allows ? 'red' : 'green' }),
    'False denies': (it) => share(it.false_denies, it),
    'For people': (it) => share(it.escalations, it),
    'Without a verdict': (it) => share(it.failures, it),
    Latency: ({ p50_latency_ms, p95_latency_ms }) => `${p50_latency_ms} ms, 95 % within ${p95_latency_ms} ms`,
    Tokens: ({ prompt_tokens, answer_tokens }) => `about ${prompt_tokens} in, ${answer_tokens} out`,
    Cost: ({ cost_usd }) => (cost_usd === null ? null : `about ${cost_usd.toFixed(4)} USD`),
    ...Object.fromEntries(
      kinds.map((kind) => [
        kind[0]!.toUpperCase() + kind.slice(1),
        ({ by_kind: { [kind]: it } }: Measured) => `${it.ALLOW} allowed, ${it.DENY} denied, ${it.ESCALATE} for people`,
      ]),
    ),
  },
  below: ({ outcomes }) =>
    outcomes
      .filter(isWrong)
      .map(({ id, decision, reason }) => `- ${id}: ${decision}, ${reason}`)
      .join('\n'),
}
