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

/** JSON that an agent wrote, also within a fence of Markdown; anything else stays text. */
export function fromWords(text: string): unknown {
  const fenced = /^```(?:json)?\s*\n([\s\S]*?)\n```$/.exec(text.trim())
  const inside = (fenced?.[1] ?? text).trim()
  if (!/^[[{]/.test(inside)) return text
  try {
    return JSON.parse(inside)
  } catch {
    return text
  }
}
