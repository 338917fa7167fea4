import { hash } from 'node:crypto'
import { mostToolDescription, mostToolSchema, toolName } from '#contract/integration-tools'
import { refusedText } from '../../memory/service.ts'

/** What a server says of a tool, as the protocol lists it; nothing of it is believed. */
export interface Told {
  name: string
  title?: unknown
  description?: unknown
  inputSchema?: unknown
  outputSchema?: unknown
  annotations?: unknown
}

/** What models are told of a tool. */
export interface Definition {
  title?: string
  description?: string
  inputSchema: object
  outputSchema?: object
  annotations?: object
}

/** A tool with its definition as JSON whose members are in order, so that equal ones are equal texts. */
export interface Listed {
  name: string
  json: string
  hash: string
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is kept of a tool; null for one that cannot be used: its name is not plain, or it is too large. */
export function readTool(told: Told): Listed | null {
  if (typeof told.name !== 'string' || !toolName.test(told.name)) return null
  const { title, description, inputSchema, outputSchema, annotations } = told
  if (isDeep([inputSchema, outputSchema, annotations], mostDepth)) return null
  if (typeof description === 'string' && description.length > mostToolDescription) return null
  const definition: Definition = {
    ...(typeof title === 'string' && title !== '' && { title }),
    ...(typeof description === 'string' && description !== '' && { description }),
    inputSchema: isObject(inputSchema) ? inputSchema : { type: 'object' },
    ...(isObject(outputSchema) && { outputSchema }),
    ...(isObject(annotations) && { annotations }),
  }
  const json = ordered(definition)
  if (Buffer.byteLength(json) > mostToolSchema) return null
  return { name: told.name, json, hash: hash('sha256', json, 'hex') }
}

/** Levels of objects and lists within each other. */
const mostDepth = 32

const isDeep = (value: unknown, left: number): boolean =>
  typeof value === 'object' && value !== null && (left === 0 || Object.values(value).some((it) => isDeep(it, left - 1)))

/** JSON with the members of each object in the order of their names. */
const ordered = (value: unknown): string =>
  JSON.stringify(value, (_, it: unknown) =>
    isObject(it) ? Object.fromEntries(Object.entries(it).sort(([a], [b]) => (a < b ? -1 : 1))) : it,
  )

export const definitionOf = (json: string): Definition => JSON.parse(json) as Definition

/** The name as clients write it, most of which know letters, digits and _ alone. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '_')

/** What of a definition speaks to the model instead of describing the tool, or hides from people; null for nothing. */
export function suspicion(json: string): string | null {
  const texts: string[] = []
  gather(definitionOf(json), texts)
  for (const text of texts) {
    const refused = refusedText(text)
    if (refused) return refused.what
  }
  return null
}

/** All texts that a model reads, the names of members too. */
function gather(value: unknown, texts: string[]): void {
  if (typeof value === 'string') texts.push(value)
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) {
      texts.push(name)
      gather(member, texts)
    }
}

const parts = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const
const words: Record<(typeof parts)[number], string> = {
  title: 'title',
  description: 'description',
  inputSchema: 'schema',
  outputSchema: 'schema of answers',
  annotations: 'annotations',
}

/** What differs between two definitions, in words. */
export function differences(before: string, after: string): string[] {
  const [old, now] = [definitionOf(before), definitionOf(after)]
  return parts.filter((part) => ordered(old[part] ?? null) !== ordered(now[part] ?? null)).map((part) => words[part])
}
