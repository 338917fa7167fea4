import type { Verdict } from '../judge/verdicts.ts'

/** What text would turn a judge's head. Found or not, the text stays data. */
const injections = [
  /\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|above|all|your|these|instructions?|rules?)\b/i,
  /\b(system|assistant|developer)\s*(prompt|message|:)/i,
  /\byou (are|must) now\b/i,
  /\b(answer|respond|reply|decide|decision|say)\b.{0,20}\ballow\b/i,
  /<\/?\w+>|```/,
]

/** Whether a text tries to speak to the judge instead of saying what is wanted. */
export const speaksToJudge = (text: string): boolean => {
  const plain = text.normalize('NFKC')
  return injections.some((it) => it.test(plain))
}

const counted = (text: string): string => text.trim().replace(/\s+/g, ' ')

/** Characters of an intent, as they count: blanks that follow each other are one. */
export const intentLength = (intent: string): number => [...counted(intent)].length

const leastDistinct = 5

/** Whether the lowest level is given without a judge: a plain sentence, and nothing that people want watched. */
export const allowsItself = (it: {
  level: number
  intent: string
  command: string | null
  watched: boolean
}): boolean =>
  it.level === 1 &&
  it.command === null &&
  !it.watched &&
  intentLength(it.intent) >= 10 &&
  new Set(counted(it.intent).toLowerCase().replaceAll(' ', '')).size >= leastDistinct &&
  !/[{}]/.test(it.intent) &&
  !speaksToJudge(it.intent)

/** The verdict of the majority; people decide where there is none. The risk is the highest of those that agree. */
export function majority(verdicts: readonly Verdict[]): Verdict {
  const counts = new Map<string, Verdict[]>()
  for (const it of verdicts) counts.set(it.decision, [...(counts.get(it.decision) ?? []), it])
  const [first, second] = [...counts.values()].sort((a, b) => b.length - a.length)
  const risk = Math.max(...(second?.length === first!.length ? verdicts : first!).map((it) => it.risk))
  if (second?.length === first!.length)
    return { decision: 'ESCALATE', reason: `${verdicts.length} verdicts do not agree`, risk }
  return { ...first![0]!, risk }
}

/** From which level on people decide: what the profile says comes before the tiers, which cannot be undercut. */
export const needsPerson = (level: number, escalateFrom: number, byTier: boolean): boolean =>
  byTier || (escalateFrom >= 1 && escalateFrom <= 4 && level >= escalateFrom)

/** A command as program and arguments; a sentence that says what is wrong with it. */
export function wordsOf(command: string): string[] | string {
  if (/[\0\r\n]/.test(command)) return 'A command is one line without NUL'
  const words: string[] = []
  let word: string | null = null
  let quote = ''
  for (const sign of command) {
    if (quote) {
      if (sign === quote) quote = ''
      else word += sign
    } else if (sign === "'" || sign === '"') {
      quote = sign
      word ??= ''
    } else if (/\s/.test(sign)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + sign
  }
  if (quote) return 'A quotation mark is not closed'
  if (word !== null) words.push(word)
  if (!words[0]) return 'There is no program in it'
  return operatorIn(command) ?? words
}

/** What only a shell understands, in quotation marks too: a program that starts a shell would be given it. */
function operatorIn(command: string): string | null {
  const found = /[;&|<>`$\\]/.exec(command)?.[0]
  return found ? `No shell reads the command, so it has no ${found}` : null
}
