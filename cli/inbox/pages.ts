import { renderMarkdown } from '../markdown/render.ts'
import { displayable, type Row, span, wrap } from '../markdown/rows.ts'
import { shortSpan } from '../output/cell.ts'
import { cleanLine } from '../output/clean.ts'
import { pad, shorten, widthOf } from '../output/width.ts'
import { kindName } from '../views/inbox.ts'
import { canBeUnread, choicesOf, type Decision, type Detail, type Item, wordsOf } from './decisions.ts'
import { fitted } from './full-screen.ts'
import type { ItemList } from './item-list.ts'
import { help, keysOf } from './keys.ts'

const line = (text: string, width: number): string => shorten(cleanLine(text), Math.max(1, width))

/** How long ago, in as few letters as it takes. */
const age = (time: string): string => shortSpan(Math.max(0, (Date.now() - Date.parse(time)) / 1000))

const who = ({ sender_name, sender_type }: Item): string => sender_name ?? sender_type ?? 'Muster'

export function headRow({ loaded, items, all, filter, more, counts }: ItemList, place: string, width: number): Row {
  const found = filter ? `${items.length} of ` : ''
  const open = loaded ? `${found}${all.length}${more ? '+' : ''} open` : '…'
  const blocking = counts.decision_count ? ` · ${counts.decision_count} for you to decide` : ''
  return fitted(
    [span('Inbox  ', 'bold'), span(`${line(place, 24)}  `, 'dim'), span(open), span(blocking, 'yellow')],
    width,
  )
}

/** A row of the list: what it is, how old, from whom, and what it says. `pending`: what is about to be sent. */
export function itemRow(item: Item, chosen: boolean, pending: Decision | undefined, width: number): Row {
  const mark = item.blocking ? span('! ', 'yellow') : item.state === 'unread' ? span('• ', 'cyan') : span('  ')
  const lead =
    `${pad(kindName(item.kind), 10)}  ${pad(age(item.created_at), 5, true)} ` + ` ${pad(line(who(item), 12), 12)}  `
  const room = width - 4 - widthOf(lead)
  const title = pending ? `${wordsOf(pending.choice)[0]}: ${cleanLine(item.title)}` : item.title
  const tones = pending ? (['dim'] as const) : item.state === 'unread' ? (['bold'] as const) : []
  return [span(chosen ? '› ' : '  ', 'cyan'), mark, span(lead, 'dim'), span(line(title, room), ...tones)]
}

/** As many items as there is room for, those around the chosen one. */
export function listRows(
  { items, current, place }: ItemList,
  height: number,
  width: number,
  pending: (id: string) => Decision | undefined,
): Row[] {
  const top = Math.min(Math.max(0, place - Math.floor(height / 2)), Math.max(0, items.length - height))
  return items.slice(top, top + height).map((item) => itemRow(item, item === current, pending(item.id), width))
}

// Only members that are known to hold no secret are shown: a payload may have others.
const told = [
  'reason',
  'context',
  'agent_name',
  'credential_name',
  'intent',
  'policy_action',
  'autonomy_level',
  'risk_score',
  'timeout_at',
] as const

/** An item with its text as Markdown. */
export function detailRows(item: Detail, width: number): Row[] {
  const meta = [
    kindName(item.kind),
    `from ${cleanLine(who(item))}`,
    `${age(item.created_at)} ago`,
    item.priority === 'medium' ? '' : item.priority,
    item.target_role ? `for ${item.target_role} and above` : item.target_user_id ? 'for you' : '',
  ]
  const facts = told.flatMap((name) => {
    const value = item.payload?.[name]
    const known =
      typeof value === 'number' ||
      (typeof value === 'string' && value !== '' && !item.body_md?.includes(value) && !item.title.includes(value))
    return known ? [[...fact(name.replaceAll('_', ' '), String(value))]] : []
  })
  const more = [
    ...(item.source_missing ? [fact('note', 'What it was about is gone.')] : []),
    ...(item.second_approver_required ? [fact('note', 'Somebody else than who set the agent up has to decide.')] : []),
  ]
  const body = item.body_md ? [[], ...renderMarkdown(item.body_md, width)] : []
  const extra = [...facts, ...more].flatMap((row) => wrap(row, width))
  return [
    ...wrap([span(displayable(cleanLine(item.title)), 'bold')], width),
    ...wrap([span(meta.filter(Boolean).join(' · '), 'dim')], width),
    ...body,
    ...(extra.length ? [[], ...extra] : []),
  ]
}

const fact = (name: string, value: string): Row => [span(`${name}: `, 'dim'), span(displayable(value))]

export const helpRows = (width: number): Row[] => [
  [span('Keys', 'bold')],
  [],
  ...help.flatMap(([keys, about]) => wrap([span(pad(keys, 9), 'cyan'), span(about)], width)),
]

/** The keys that do something now, as many as fit. */
export function hintRow(item: Detail | null, pending: number, width: number): Row {
  const can = item ? keysOf(choicesOf(item)) : []
  const hints: [key: string, about: string, on: boolean][] = [
    ['u', 'undo', pending > 0],
    ...can.map(([key, { label }]): [string, string, boolean] => [key, line(label.toLowerCase(), 20), true]),
    ['Enter', 'open', item !== null],
    ['n', 'unread', item !== null && canBeUnread(item)],
    ['?', 'help', true],
    ['q', 'leave', true],
  ]
  const row: Row[] = []
  let used = 0
  for (const [key, about, on] of hints) {
    const size = key.length + about.length + 3
    if (!on || used + size > width) continue
    row.push([span(key, 'cyan'), span(` ${about}  `, 'dim')])
    used += size
  }
  return row.flat()
}
