import { oneLine } from '#contract/fields'
import { mostStages, type StageType, stageTypes } from '#contract/workflows'
import { isVisible } from '#kernel/http/fields'
import { problem } from '#kernel/problem'

export interface Stage {
  name: string
  type: StageType
  position: number
  color?: string
}

const names = new RegExp(oneLine)
const colors = /^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/

/** The stages that a text holds. Refuses what is no workflow, with what is wrong. */
export function stagesOf(text: string): Stage[] {
  const given = read(text)
  if (!Array.isArray(given) || !given.length) refuse('must be a JSON array of at least one stage')
  if (given.length > mostStages) refuse(`may have at most ${mostStages} stages`)
  const stages = given.map(stageOf)
  if (stages.filter(({ type }) => type === 'open').length !== 1) refuse('must have exactly one stage of type open')
  if (!stages.some(({ type }) => type === 'completed')) refuse('must have at least one stage of type completed')
  const name = repeated(stages.map((stage) => stage.name.toLowerCase()))
  if (name !== undefined) refuse(`has two stages called "${name}"`)
  const position = repeated(stages.map((stage) => stage.position))
  if (position !== undefined) refuse(`has two stages at position ${position}`)
  return stages
}

function read(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return refuse('must be a JSON array of at least one stage')
  }
}

function stageOf(given: unknown, index: number): Stage {
  const wrong = (what: string) => refuse(`is wrong at stage ${index + 1}: ${what}`)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return wrong('it must be an object')
  const { name, type, position, color } = given as Record<string, unknown>
  if (typeof name !== 'string' || !names.test(name) || !isVisible(name) || [...name.trim()].length > 100)
    return wrong('its name must be one line of 1 to 100 characters')
  if (!stageTypes.includes(type as StageType)) return wrong(`its type must be one of ${stageTypes.join(', ')}`)
  if (!Number.isInteger(position) || (position as number) < 1 || (position as number) > 1_000_000)
    return wrong('its position must be a whole number from 1')
  const bare = { name: name.normalize('NFC').trim(), type: type as StageType, position: position as number }
  if (color === undefined || color === null || color === '') return bare
  if (typeof color !== 'string' || !colors.test(color)) return wrong('its color must be #RGB or #RRGGBB')
  return { ...bare, color }
}

function repeated<T>(values: readonly T[]): T | undefined {
  return values.find((value, index) => values.indexOf(value) !== index)
}

function refuse(what: string): never {
  throw problem('invalid_field', { field: 'template_json', detail: `template_json ${what}` })
}
