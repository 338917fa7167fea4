import { capped, clean } from './text.ts'

export const mostOfMessage = 32_000

const placeholder = /\{\{([^{}\n]*)\}\}/g

/** The names within a template, and what is left of it without its placeholders. */
export function placeholdersOf(template: string): { names: string[]; rest: string } {
  const text = clean(template)
  return { names: namesIn(text), rest: text.replace(placeholder, '') }
}

const namesIn = (text: string): string[] => [...text.matchAll(placeholder)].map(([, name]) => name!.trim())

/** Puts the texts in the place of their names. A line goes when it has names and none of them a text. */
export function rendered(template: string, texts: Readonly<Record<string, string>>): string {
  const kept = clean(template)
    .split('\n')
    .filter((line) => {
      const names = namesIn(line)
      return !names.length || names.some((name) => texts[name])
    })
  const lines = kept.map((line) => line.replace(placeholder, (_, name: string) => texts[name.trim()] ?? ''))
  return finished(lines.join('\n'))
}

/** A message as it may be sent. */
export const finished = (text: string): string => capped(text, mostOfMessage).trim()
