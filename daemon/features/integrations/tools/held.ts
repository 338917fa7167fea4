import { hash } from 'node:crypto'
import type { App } from '#kernel/app'
import { unifiedDiff } from '#kernel/unified-diff'
import { type Definition, definitionOf } from './definition.ts'
import { queries, type ToolRow } from './queries.ts'

/** The tools of a server that wait for people, and what names just these as they are now. */
export function waitingOf({ db }: App, server: string): { tools: ToolRow[]; revision: string } {
  const tools = queries(db)
    .ofServer.all(server)
    .filter(({ enabled, held_since }) => enabled === 1 && held_since !== null)
  const revision = hash('sha256', tools.map(({ name, told_hash }) => `${name}\0${told_hash}\n`).join(''), 'hex')
  return { tools, revision }
}

const mostShown = 20_000

/** What a server says of a tool now against what was approved, as a diff of the texts that models read. */
export function changeOf({ name, approved_json, told_json }: ToolRow): string | null {
  if (told_json === null) return null
  const texts = [approved_json, told_json].map((json) => (json === null ? '' : readable(definitionOf(json))))
  const { text } = unifiedDiff(['approved', 'now'], texts[0]!, texts[1]!)
  return text.length > mostShown ? `${text.slice(0, mostShown)}\n… (more of ${name} is left out)` : text
}

function readable({ title, description, ...schemas }: Definition): string {
  const lines = [...(title === undefined ? [] : [`title: ${title}`]), description ?? '']
  const json = Object.entries(schemas).map(([name, schema]) => `${name}: ${JSON.stringify(schema, null, 2)}`)
  return `${[...lines, ...json].join('\n')}\n`
}
