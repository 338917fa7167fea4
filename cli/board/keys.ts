import type { Key } from 'node:readline'

/** What a key asks for on a board. */
export type BoardAction =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'first'
  | 'last'
  | 'page-up'
  | 'page-down'
  | 'forth'
  | 'back'
  | 'open'
  | 'close'
  | 'help'
  | 'leave'
  | 'interrupt'
  | 'redraw'

const named: Readonly<Record<string, BoardAction>> = {
  up: 'up',
  down: 'down',
  left: 'left',
  right: 'right',
  home: 'first',
  end: 'last',
  pageup: 'page-up',
  pagedown: 'page-down',
  space: 'page-down',
  return: 'open',
  escape: 'close',
}
const typed: Readonly<Record<string, BoardAction>> = {
  k: 'up',
  j: 'down',
  h: 'left',
  l: 'right',
  g: 'first',
  G: 'last',
  b: 'page-up',
  '>': 'forth',
  '<': 'back',
  '?': 'help',
  q: 'leave',
}
const shifted: Readonly<Record<string, BoardAction>> = { right: 'forth', left: 'back' }
const controls: Readonly<Record<string, BoardAction | 'suspend'>> = {
  c: 'interrupt',
  d: 'leave',
  l: 'redraw',
  z: 'suspend',
}

/** What a key means on a board. */
export function boardActionOf(
  text: string | undefined,
  { name = '', ctrl, meta, shift }: Key,
): BoardAction | 'suspend' | undefined {
  const among = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
    Object.hasOwn(table, key) ? table[key] : undefined
  if (ctrl) return among(controls, name)
  // The escape key comes as one that was held.
  if (meta && name !== 'escape') return undefined
  if (shift && among(shifted, name)) return shifted[name]
  return (text !== undefined && among(typed, text)) || among(named, name)
}

/** Keys as the help tells them. */
export const boardHelp: readonly (readonly [keys: string, about: string])[] = [
  ['← → ↑ ↓ h l k j', 'choose an issue; g and G the first and the last of its column'],
  ['> <', 'move it to the next status that it may have; also Shift with → ←'],
  ['Enter', 'show it; Esc goes back'],
  ['Space b', 'a page further, a page back'],
  ['q', 'leave'],
]
