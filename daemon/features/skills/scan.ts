import type { ScanStatus } from '#contract/skills'
import { refusedText } from '../memory/service.ts'
import type { SkillFile } from './files.ts'

/** Orders to models beside those that memory knows. */
const patterns: readonly [what: string, pattern: RegExp][] = [
  ['a mark of a system message', /<\/?system\b|<\|im_start\|>|<\|start_header_id\|>/i],
  ['a jailbreak', /\bDAN\b.{0,80}\b(?:mode|jailbreak|anything)\b|\bdo anything now\b|\bjailbreak (?:mode|prompt)\b/is],
  ['a long text in base64', /[A-Za-z0-9+/]{1024,}={0,2}/],
]

export interface Scan {
  status: ScanStatus
  reason: string | null
}

/** Looks for orders to models, secrets and characters that people do not see. The reason quotes none of it. */
export function scanSkill(content: string, files: readonly SkillFile[]): Scan {
  const texts: [path: string, text: string][] = [
    ['SKILL.md', content.replace(/^\uFEFF/, '')],
    ...files
      .filter(({ content: bytes }) => !bytes.includes(0))
      .map(({ path, content: bytes }): [string, string] => [path, bytes.toString('utf8')]),
  ]
  for (const [path, text] of texts) {
    const found = foundIn(text)
    if (found) return { status: 'FLAGGED', reason: `${path}:${found.line}: ${found.what}` }
  }
  return { status: 'CLEAN', reason: null }
}

function foundIn(text: string): { line: number; what: string } | null {
  const refused = refusedText(text)
  if (refused) return refused
  for (const [what, pattern] of patterns) {
    const found = pattern.exec(text)
    if (found) return { line: text.slice(0, found.index).split('\n').length, what }
  }
  return null
}
