/** What is known of one file. */
export interface Seen {
  owner: string
  name: string
  content: string
  ageDays: number
  fill: number
}

export interface Scores {
  freshness: number
  coverage: number
  coherence: number
  efficiency: number
  reachability: number
}

export const weights: Scores = {
  freshness: 0.25,
  coverage: 0.25,
  coherence: 0.2,
  efficiency: 0.15,
  reachability: 0.15,
}

const mean = (values: readonly number[], none: number): number =>
  values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : none

/** Half of it is left after two weeks in which nobody wrote. */
export const freshnessOf = (newestDays: readonly number[]): number =>
  mean(
    newestDays.map((days) => 0.5 ** (days / 14)),
    0,
  )

/** Statements of a text: its bullets and sentences of some length, as they compare. */
const statementsOf = (content: string): string[] =>
  content
    .split('\n')
    .map((line) =>
      line
        .replace(/^[\s>*+#-]+/, '')
        .trim()
        .toLowerCase()
        .replace(/\s+/g, ' ')
        .replace(/[.!]+$/, ''),
    )
    .filter((line) => line.length >= 12)

const opposites: readonly [RegExp, string][] = [
  [/^never /, 'always '],
  [/^do not /, 'do '],
  [/^don't /, 'do '],
  [/^must not /, 'must '],
]

export interface Coherence {
  score: number
  repeated: number
  contradictions: string[]
}

/** How much of what one owner remembers is neither said twice nor against something else that is said. */
export function coherenceOf(files: readonly Seen[]): Coherence {
  let all = 0
  let repeated = 0
  const contradictions: string[] = []
  for (const owner of new Set(files.map((file) => file.owner))) {
    const said = files.filter((file) => file.owner === owner).flatMap(({ content }) => statementsOf(content))
    const once = new Set(said)
    all += said.length
    repeated += said.length - once.size
    for (const statement of once)
      for (const [negative, positive] of opposites)
        if (negative.test(statement) && once.has(statement.replace(negative, positive))) contradictions.push(statement)
  }
  const score = all === 0 ? 1 : Math.max(0, 1 - (repeated + 2 * contradictions.length) / all)
  return { score, repeated, contradictions }
}

/** Room that is left: full marks up to 80 % of a file, none where nothing fits any more. */
export const efficiencyOf = (fills: readonly number[]): number =>
  mean(
    fills.map((fill) => Math.min(1, Math.max(0, (1 - fill) / 0.2))),
    1,
  )

export const rounded = (score: number): number => Math.round(score * 1000) / 1000

export const overallOf = (scores: Scores): number =>
  rounded(Object.entries(weights).reduce((sum, [name, weight]) => sum + weight * scores[name as keyof Scores], 0))
