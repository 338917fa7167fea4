import { Flags } from '@oclif/core'
import type { Static } from 'typebox'
import { parse } from 'yaml'
import type { CrewTemplate, CrewTemplateDraft } from '#contract/crew-templates'
import { fileBytes, InputError, stdinText } from '../input.ts'
import { colorFlag } from './work.ts'

/** Flags of workflow templates and step plans. */
export const templateFlags = {
  description: Flags.string({ description: 'what it is for; empty for none' }),
  icon: Flags.string({ description: 'name of an icon; empty for none' }),
  color: colorFlag('color; empty for none'),
}

/** A flag that names a file of YAML or JSON, which `what` it holds. */
export const templateFile = (what: string) => ({
  helpValue: 'FILE',
  description: `file of YAML or JSON with ${what}; - reads standard input`,
})

/** The crew template that a file holds; what only answers have is left out. */
export async function crewTemplateIn(file: string): Promise<Static<typeof CrewTemplateDraft>> {
  const found = await yamlOf(file)
  if (typeof found !== 'object' || found === null || !Array.isArray((found as { agents?: unknown }).agents))
    throw new InputError('The file must hold a crew template with agents.', 'muster templates show NAME -o yaml')
  const { id: _id, slug: _slug, is_builtin: _builtin, created_at: _at, ...body } = found as Static<typeof CrewTemplate>
  return body
}

/** What a file of YAML or JSON holds; `-` is standard input. */
export async function yamlOf(file: string): Promise<unknown> {
  const text = file === '-' ? await stdinText() : fileBytes(file).toString('utf8')
  try {
    return parse(text, { prettyErrors: false })
  } catch (error) {
    throw new InputError(`${file === '-' ? 'Standard input' : file} is neither YAML nor JSON: ${lineOf(error)}`)
  }
}

const lineOf = (error: unknown): string => (error as Error).message.split('\n')[0]!
