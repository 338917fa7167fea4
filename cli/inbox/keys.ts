import type { Key } from 'node:readline'
import type { Choice } from '../decisions/choices.ts'

/** Keys that decide, in the order in which they are told. */
const choiceKeys = ['a', 'd', 'r', 't', 'x', '1', '2', '3', '4', '5', '6', '7', '8', '9'] as const
export type ChoiceKey = (typeof choiceKeys)[number]
export const isChoiceKey = (action: string): action is ChoiceKey => (choiceKeys as readonly string[]).includes(action)

const usual: Readonly<Record<string, ChoiceKey>> = {
  approve: 'a',
  deny: 'd',
  answer: 'r',
  take_over: 't',
  resolve: 'x',
}

/** The key of each choice, in the order in which they are told: the usual one, or a digit. */
export function keysOf(choices: readonly Choice[]): [key: ChoiceKey, choice: Choice][] {
  const keyed = new Map<ChoiceKey, Choice>()
  let digit = 0
  for (const choice of choices) {
    const key = usual[choice.means ?? choice.id]
    if (key && !keyed.has(key)) keyed.set(key, choice)
    else keyed.set(String(++digit) as ChoiceKey, choice)
  }
  return choiceKeys.flatMap((key) => (keyed.has(key) ? [[key, keyed.get(key)!]] : []))
}

/** What a key asks for. */
export type KeyAction =
  | 'up'
  | 'down'
  | 'first'
  | 'last'
  | 'page-up'
  | 'page-down'
  | 'open'
  | 'back'
  | ChoiceKey
  | 'unread'
  | 'undo'
  | 'filter'
  | 'jump'
  | 'help'
  | 'leave'
  | 'interrupt'
  | 'redraw'
  | 'suspend'

const named: Readonly<Record<string, KeyAction>> = {
  up: 'up',
  down: 'down',
  home: 'first',
  end: 'last',
  pageup: 'page-up',
  pagedown: 'page-down',
  space: 'page-down',
  return: 'open',
  right: 'open',
  escape: 'back',
  left: 'back',
}
const typed: Readonly<Record<string, KeyAction>> = {
  k: 'up',
  j: 'down',
  g: 'first',
  G: 'last',
  b: 'page-up',
  ...Object.fromEntries(choiceKeys.map((key) => [key, key])),
  n: 'unread',
  u: 'undo',
  '/': 'filter',
  ':': 'jump',
  '?': 'help',
  q: 'leave',
}
const controls: Readonly<Record<string, KeyAction>> = { c: 'interrupt', d: 'leave', l: 'redraw', z: 'suspend' }

/** What a key means in the list and in an item. */
export function actionOf(text: string | undefined, { name = '', ctrl, meta }: Key): KeyAction | undefined {
  if (ctrl) return Object.hasOwn(controls, name) ? controls[name] : undefined
  // The escape key comes as one that was held.
  if (meta && name !== 'escape') return undefined
  if (text !== undefined && Object.hasOwn(typed, text)) return typed[text]
  return Object.hasOwn(named, name) ? named[name] : undefined
}

/** Keys as the help tells them. */
export const help: readonly (readonly [keys: string, about: string])[] = [
  ['↑ ↓ j k', 'choose an item; g and G the first and the last'],
  ['/', 'only items with these words; Esc shows all again'],
  [':', 'go to an item by its number in the list, or its id'],
  ['Enter', 'open the item, and mark it read; Esc goes back'],
  ['Space b', 'scroll its text'],
  ['a', 'approve'],
  ['d', 'deny; dismiss what a run asks for'],
  ['r', 'answer a question; Enter sends, Esc leaves it'],
  ['t', 'take a run over'],
  ['x', 'resolve, for everybody'],
  ['1 to 9', 'whatever else the item offers'],
  ['n', 'mark unread'],
  ['u', 'undo: a decision is sent only after some seconds'],
  ['q', 'leave; asks when something is not sent yet'],
]
