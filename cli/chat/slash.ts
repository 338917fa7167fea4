import { type Row, span, wrap } from '../markdown/rows.ts'
import { pad } from '../output/width.ts'

/** What can be typed in a chat besides messages. */
const slashCommands = {
  help: 'what can be typed here',
  new: 'begin another chat with this agent',
  history: 'show what was said before, `/history 20` for the last 20 messages',
  steer: 'tell the agent something in its turn, or for its next one, `/steer TEXT`; it starts none',
  cancel: 'cancel what the agent is doing, and what waits to be said',
  thinking: 'show or hide what the agent thinks',
  later: 'leave what the agent asks to your inbox',
  undo: 'take back what you decided a moment ago; so does Ctrl-C',
  quit: 'leave; the chat is there when you come back',
} as const

/** Keys that do something of their own. */
const keys = {
  '\\ Enter': 'another line; so do Alt-Enter and Ctrl-J, and pasted text keeps its lines',
  Enter: 'while the agent works, say it after its current step, or in the turn after this one',
  Esc: 'make a message of an answer that is typed, or an answer of a message',
  'Ctrl-O': 'expand what was pasted',
  'Ctrl-C': 'cancel the turn, a second time leave',
  'Ctrl-D': 'leave; the agent goes on with what it does',
} as const

export type Slash = keyof typeof slashCommands

/** The command that a text is, with its words; null when it is meant for the agent. `//x` says `/x` to the agent. */
export function slashOf(text: string): { name: string; rest: string } | null {
  const match = /^\/([a-z][a-z-]*)(?:\s+(.*))?$/is.exec(text.trim())
  return match ? { name: match[1]!.toLowerCase(), rest: match[2] ?? '' } : null
}

export const isSlash = (name: string): name is Slash => Object.hasOwn(slashCommands, name)

/** What can be typed in a chat, as /help tells it. */
export const helpRows = (width: number): Row[] => tableRows({ ...namesOf(slashCommands), ...keys }, width)

/** Commands as they are typed, with what is told of them. */
export const namesOf = (commands: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(commands).map(([name, about]) => [`/${name}`, about]))

export function tableRows(table: Readonly<Record<string, string>>, width: number): Row[] {
  const rows = Object.entries(table).map(([name, about]): Row => [span(pad(name, 11), 'cyan'), span(about)])
  return rows.flatMap((it) => wrap(it, width))
}

/** Names of commands that a text may become; none unless it is the beginning of one. */
export const slashNames = (text: string, more: readonly string[] = []): string[] =>
  namesAmong(text, [...more, ...Object.keys(slashCommands)])

export function namesAmong(text: string, names: readonly string[]): string[] {
  const typed = /^\/([a-z-]*)$/.exec(text)?.[1]
  return typed === undefined ? [] : names.filter((name) => name.startsWith(typed))
}

/** What Tab makes of a text: as much of a command as is certain. */
export const completeSlash = (text: string, more: readonly string[] = []): string =>
  completeAmong(text, [...more, ...Object.keys(slashCommands)])

export function completeAmong(text: string, all: readonly string[]): string {
  const names = namesAmong(text, all)
  if (names.length < 2) return names.length ? `/${names[0]}` : text
  const first = names[0]!
  let length = text.length - 1
  while (first[length] !== undefined && names.every((name) => name[length] === first[length])) length++
  return `/${first.slice(0, length)}`
}
