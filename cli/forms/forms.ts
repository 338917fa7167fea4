import type { Client } from '#client'
import type { AskField, AskForm, AskValue } from '#contract/ask-forms'
import { InputError } from '../input.ts'
import { agentId } from '../lookup.ts'
import { shellWord } from '../output/shell-word.ts'

export interface FormOfAgent {
  agentId: string
  form: AskForm
}

export type Answers = Record<string, AskValue>

/** A form of an agent, both as a person names them. */
export async function formOf(api: Client, agent: string, id: string): Promise<FormOfAgent> {
  const it = await api.agents.show({ agentId: await agentId(api, agent) })
  const forms = JSON.parse(it.ask_forms ?? '[]') as AskForm[]
  const form = forms.find((known) => known.id === id)
  if (form) return { agentId: it.id, form }
  if (!forms.length)
    throw new InputError(`${agent} has no forms.`, `muster agents update ${shellWord(agent)} --ask-forms @forms.json`)
  throw new InputError(`${agent} has no form "${id}"; it has ${forms.map((known) => known.id).join(', ')}.`)
}

export const isUpload = ({ type }: AskField): boolean => type === 'file' || type === 'photo'

/** The names that `--field` may give. */
const namesOf = ({ fields }: AskForm): string[] =>
  fields.flatMap(({ name, type }) => (type === 'money' ? [name, `${name}_currency`] : [name]))

/** What `--field NAME=VALUE` says; several of one name are a list. */
export function answersGiven(form: AskForm, given: readonly string[] = []): Answers {
  const all = new Map<string, string[]>()
  for (const word of given) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(word) ?? []
    if (name === undefined || value === undefined) throw new InputError(`--field must be NAME=VALUE, not "${word}".`)
    if (!namesOf(form).includes(name))
      throw new InputError(`The form "${form.id}" has no field "${name}"; it has ${namesOf(form).join(', ')}.`)
    all.set(name, [...(all.get(name) ?? []), value])
  }
  return Object.fromEntries([...all].map(([name, values]) => [name, values.length > 1 ? values : values[0]!]))
}
