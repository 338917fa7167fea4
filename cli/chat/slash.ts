/** What can be typed in a chat besides messages. */
export const slashCommands = {
  help: 'what can be typed here',
  new: 'begin another chat with this agent',
  history: 'show what was said before, `/history 20` for the last 20 messages',
  cancel: 'cancel what the agent is doing, and what waits to be said',
  thinking: 'show or hide what the agent thinks',
  quit: 'leave; the chat is there when you come back',
} as const

/** Keys that do something of their own. */
export const keys = {
  '\\ Enter': 'another line; so do Alt-Enter and Ctrl-J, and pasted text keeps its lines',
  'Ctrl-C': 'cancel the turn, a second time leave',
  'Ctrl-D': 'leave; the agent goes on with what it does',
} as const

export type Slash = keyof typeof slashCommands

/** The command that a text is, with its words; null when it is meant for the agent. `//x` says `/x` to the agent. */
export function slashOf(text: string): { name: string; rest: string } | null {
  const match = /^\/([a-z]+)(?:\s+(.*))?$/is.exec(text.trim())
  return match ? { name: match[1]!.toLowerCase(), rest: match[2] ?? '' } : null
}

export const isSlash = (name: string): name is Slash => Object.hasOwn(slashCommands, name)

/** What Tab makes of a text: as much of a command as is certain. */
export function completeSlash(text: string): string {
  const typed = /^\/([a-z]*)$/.exec(text)?.[1]
  if (typed === undefined) return text
  const names = Object.keys(slashCommands).filter((name) => name.startsWith(typed))
  if (!names.length) return text
  if (names.length === 1) return `/${names[0]}`
  const first = names[0]!
  let length = typed.length
  while (names.every((name) => name[length] === first[length])) length++
  return `/${first.slice(0, length)}`
}
