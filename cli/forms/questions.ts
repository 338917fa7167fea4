import type { AskField } from '#contract/ask-forms'
import { ask, choose, chooseSeveral, emptyFlaw, type Flaw } from '../input.ts'
import { type Answers, isUpload } from './forms.ts'

const shapes: Readonly<Record<string, string>> = { date: 'YYYY-MM-DD', month: 'YYYY-MM' }

/** Asks for one field; what is left blank is not answered, so that it takes its default. */
export async function askField(field: AskField, pathFlaw: Flaw): Promise<Answers> {
  const { name } = field
  const value = await answer(field, pathFlaw)
  if (field.type !== 'money' || value === undefined) return value === undefined ? {} : { [name]: value }
  const currency = await currencyFor(field)
  return { [name]: value, ...(currency && { [`${name}_currency`]: currency }) }
}

async function answer(field: AskField, pathFlaw: Flaw): Promise<Answers[string] | undefined> {
  const { type, options = [] } = field
  if (type === 'checkbox') return choose(worded(field), yesFirst(field.default === true))
  if (type === 'select') return chosen(field)
  if (type === 'multiselect') return several(await chooseSeveral(worded(field), options, defaults(field)))
  if (isUpload(field)) return several((await paths(field, pathFlaw)).map((path) => `@${path}`))
  const text = await ask(worded(field), needed(field) ? emptyFlaw : undefined)
  return text.trim() ? text : undefined
}

/** Label, what it is for, and what a blank answer means. */
function worded({ label, help, placeholder, type, default: usual }: AskField): string {
  const hints = [help, shapes[type] ?? placeholder, usual === undefined ? '' : `default ${String(usual)}`]
  const hint = hints.filter(Boolean).join('; ')
  return hint ? `${label} (${hint})` : label
}

const needed = ({ required, default: usual }: AskField): boolean => required === true && usual === undefined

const defaults = ({ default: usual }: AskField): string[] =>
  (Array.isArray(usual) ? usual : usual === undefined ? [] : [usual]).map(String)

const several = (all: string[]): string[] | undefined => (all.length ? all : undefined)

function yesFirst(first: boolean): { name: string; value: boolean }[] {
  const both = [
    { name: 'yes', value: true },
    { name: 'no', value: false },
  ]
  return first ? both : both.toReversed()
}

const none = { name: '(none)', value: '' }

function chosen(field: AskField): Promise<string> {
  const [usual] = defaults(field)
  const options = [...(field.options ?? [])].sort((one, other) => Number(other === usual) - Number(one === usual))
  const choices = options.map((value) => ({ name: value, value }))
  return choose(worded(field), field.required ? choices : [...choices, none])
}

async function currencyFor({ label, currency = [] }: AskField): Promise<string | undefined> {
  if (currency.length === 1) return undefined
  if (!currency.length) return (await ask(`${label}: currency`)).trim() || undefined
  return choose(
    `${label}: currency`,
    currency.map((value) => ({ name: value, value })),
  )
}

/** One path, or several until a blank line. */
async function paths(field: AskField, pathFlaw: Flaw): Promise<string[]> {
  const found: string[] = []
  const flaw: Flaw = (path) => {
    if (path.trim()) return pathFlaw(path.trim())
    return needed(field) && !found.length ? 'Enter the path of a file.' : undefined
  }
  for (;;) {
    const path = (await ask(`${worded(field)}: ${found.length ? 'another file' : 'file'}`, flaw)).trim()
    if (path) found.push(path)
    if (!path || !field.multiple) return found
  }
}
