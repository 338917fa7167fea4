import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { InputError } from '../input.ts'
import type { IssueText } from './text.ts'

export interface IssueTemplate extends IssueText {
  labels: string[]
}

/** Where templates stand within a project. */
const places = [join('.muster', 'issue-templates'), join('.github', 'ISSUE_TEMPLATE')]

/** The template of that name in this folder or one above it, up to the one with `.git`. */
export function issueTemplate(name: string, from = process.cwd()): IssueTemplate {
  const known = templatesFrom(from)
  const file = known.get(name.replace(/\.md$/, ''))
  if (file) return readTemplate(readFileSync(file, 'utf8'), file)
  const names = issueTemplates(from).join(', ')
  throw new InputError(
    `There is no issue template "${name}"${names ? `; there are ${names}` : ` in ${places.join(' or ')}`}.`,
  )
}

/** The names of the templates that there are. */
export const issueTemplates = (from = process.cwd()): string[] => [...templatesFrom(from).keys()].sort()

/** Files by the names of their templates; those that are nearest win. */
function templatesFrom(folder: string): Map<string, string> {
  const above = existsSync(join(folder, '.git')) || dirname(folder) === folder ? [] : templatesFrom(dirname(folder))
  const found = [...places].reverse().flatMap((place) => markdownIn(join(folder, place)))
  return new Map([...above, ...found])
}

function markdownIn(folder: string): [name: string, file: string][] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'))
  return names.map((name) => [name.slice(0, -3), join(folder, name)])
}

/** What a template says above its text: a title to begin with, and labels. Anything else there is left out. */
export function readTemplate(text: string, file: string): IssueTemplate {
  const [, above, body = text] = /^---\n(.*?)\n---\n?(.*)$/s.exec(text.replace(/\r\n/g, '\n')) ?? []
  const { title, labels } = above === undefined ? {} : headOf(above, file)
  const listed = typeof labels === 'string' ? labels.split(',') : Array.isArray(labels) ? labels.map(String) : []
  return {
    title: typeof title === 'string' ? title : '',
    labels: listed.map((label) => label.trim()).filter(Boolean),
    description: body.trim(),
  }
}

function headOf(text: string, file: string): { title?: unknown; labels?: unknown } {
  try {
    return (parse(text) as object | null) ?? {}
  } catch (error) {
    throw new InputError(`${file} begins with something that is no YAML: ${(error as Error).message.split('\n')[0]}`)
  }
}
