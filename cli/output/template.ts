import { InputError } from '../input.ts'
import { at, compactJson } from './json.ts'

type Node =
  | { kind: 'text'; text: string }
  | { kind: 'value'; path: string; json: boolean }
  | { kind: 'range' | 'if'; path: string; body: Node[]; otherwise: Node[] }

export interface Template {
  /** Members that it asks of each row. */
  fields: string[]
  /** Text of a value. A list is written row by row, a line each, unless the template ranges over it. */
  write(value: unknown): string
}

const path = String.raw`\.(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)?`
const action = new RegExp(`^(?:(range|if|json)\\s+)?(${path})$`)

/** Reads a template: `{{.a.b}}`, `{{json .a}}`, `{{range .a}}…{{else}}…{{end}}`, `{{if .a}}…{{else}}…{{end}}`. */
export function readTemplate(source: string): Template {
  const tokens = source
    .replace(/\\([tn\\])/g, (_, char: string) => ({ t: '\t', n: '\n' })[char] ?? char)
    .split(/({{.*?}})/s)
  const nodes = block(tokens, [])
  if (tokens.length) throw flaw(`{{end}} without {{range}} or {{if}}`)
  const whole = nodes.find((node) => node.kind === 'range' && node.path === '') as { body: Node[] } | undefined
  return {
    fields: [...new Set(fieldsOf(whole?.body ?? nodes))],
    write: (value) =>
      Array.isArray(value) && !whole
        ? value.map((row) => ended(filled(nodes, row))).join('')
        : ended(filled(nodes, value)),
  }
}

/** Nodes up to `{{end}}` or `{{else}}`, which stays; `open` names what they close. */
function block(tokens: string[], open: string[]): Node[] {
  const nodes: Node[] = []
  while (tokens.length) {
    const token = tokens.shift()!
    const inside = /^{{-?\s*(.*?)\s*-?}}$/s.exec(token)?.[1]
    if (inside === undefined) {
      if (token.includes('{{')) throw flaw('{{ without }}')
      if (token) nodes.push({ kind: 'text', text: token })
    } else if (inside === 'end' || inside === 'else') {
      tokens.unshift(token)
      if (open.length) return nodes
      throw flaw(`{{${inside}}} without {{range}} or {{if}}`)
    } else nodes.push(actionOf(inside, tokens, open))
  }
  if (open.length) throw flaw(`{{${open.at(-1)}}} without {{end}}`)
  return nodes
}

function actionOf(inside: string, tokens: string[], open: string[]): Node {
  const [, word, dotted] = action.exec(inside) ?? []
  if (dotted === undefined)
    throw flaw(`"{{${inside}}}" is none of {{.member}}, {{json .member}}, {{range .member}}, {{if .member}}`)
  const path = dotted.slice(1)
  if (word !== 'range' && word !== 'if') return { kind: 'value', path, json: word === 'json' }
  const body = block(tokens, [...open, word])
  const otherwise = /else/.test(tokens.shift()!) ? block(tokens, [...open, word]) : undefined
  if (otherwise && /else/.test(tokens.shift()!)) throw flaw(`{{${word}}} has two {{else}}`)
  return { kind: word, path, body, otherwise: otherwise ?? [] }
}

const flaw = (why: string) =>
  new InputError(`The template cannot be read: ${why}.`, "repeat with one such as --template '{{.name}}\\t{{.status}}'")

/** What is asked of the row itself: within a range the row is another one. */
function fieldsOf(nodes: Node[]): string[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'text') return []
    const own = node.path ? [node.path] : []
    return node.kind === 'if' ? [...own, ...fieldsOf(node.body), ...fieldsOf(node.otherwise)] : own
  })
}

const filled = (nodes: Node[], value: unknown): string => nodes.map((node) => textOf(node, value)).join('')

function textOf(node: Node, value: unknown): string {
  if (node.kind === 'text') return node.text
  const found = node.path ? at(value, node.path) : value
  if (node.kind === 'value') return node.json || isObject(found) ? compactJson(found ?? null) : String(found ?? '')
  if (node.kind === 'if') return filled(isEmpty(found) ? node.otherwise : node.body, value)
  const rows = isObject(found) ? Object.values(found) : []
  return rows.length ? rows.map((row) => filled(node.body, row)).join('') : filled(node.otherwise, value)
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isEmpty = (value: unknown) => !value || (isObject(value) && Object.keys(value).length === 0)
const ended = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
