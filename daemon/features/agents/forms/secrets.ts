import type { AskForm } from '#contract/ask-forms'
import { isText } from './kinds.ts'

const secretive = /pass(?:word|phrase|code)|secret|credential|token|(?:api|private|access)[_-]?key|^pin$/i

/**
 * What to tell those who store forms with fields of a kind that sounds secret: such a kind is text like any other, and
 * hides nothing. docs/rules/agents.md, "Forms".
 */
export const secretWarnings = (forms: string | null): string[] =>
  (JSON.parse(forms ?? '[]') as AskForm[]).flatMap(({ id, fields }) =>
    fields
      .filter(({ type }) => isText(type) && secretive.test(type))
      .map(
        ({ name, type }) =>
          `The field "${name}" of the form "${id}" has the type "${type}", which hides nothing: answers stand in the ` +
          'chat as they were typed. Store secrets as credentials instead.',
      ),
  )
