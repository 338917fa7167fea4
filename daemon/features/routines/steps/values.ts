import { nestsDeeper } from '#kernel/http/json-depth'
import { meansYes, render, type Values } from '#kernel/templates'
import { expression } from '../definitions/expressions.ts'

/** Whether a step is to be carried out. An expression that fails counts as false; `failed` is told why. */
export function isWanted(
  condition: string | undefined,
  values: Values,
  failed: (why: string) => void = () => {},
): boolean {
  if (condition === undefined) return true
  if (condition.includes('{{')) return meansYes(render(condition, values))
  try {
    return expression(condition)(values) === true
  } catch (error) {
    failed((error as Error).message)
    return false
  }
}

/** Most levels of a result: deeper JSON stays text. */
const deepest = 100

/** What JSON says; text that is none, or is nested too deep, stays text. */
export function fromJson(text: string): unknown {
  if (nestsDeeper(text, deepest)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** JSON that an agent wrote, also within a fence of Markdown; anything else stays text. */
export function fromWords(text: string): unknown {
  const fenced = /^```(?:json)?\s*\n([\s\S]*?)\n```$/.exec(text.trim())
  const inside = (fenced?.[1] ?? text).trim()
  const read = /^[[{]/.test(inside) ? fromJson(inside) : text
  return typeof read === 'string' ? text : read
}
