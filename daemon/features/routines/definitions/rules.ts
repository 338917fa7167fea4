import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import {
  LooseDefinition,
  mostCode,
  mostRoutineSteps,
  type RoutineDefinition,
  type RoutineStep,
  type StepType,
  stepSchemas,
  stepTypes,
} from '#contract/routine-definition'
import { hint } from '#kernel/nearest'
import { reached } from '#kernel/reached'
import { cited, isPath, namesOf } from '#kernel/templates'
import { citedSecrets } from '../steps/secrets.ts'
import { compileFlaw, type Written } from './expressions.ts'
import { inputFlaws } from './inputs.ts'
import { nodesOf, stepsOf } from './plan.ts'
import { transform } from './transforms.ts'

/** What is wrong with a definition, and where: `steps[2].http.url`. */
export interface Flaw {
  path: string
  message: string
}

const noWaiting: readonly StepType[] = ['http', 'code', 'script', 'transform', 'notify', 'query', 'platform']
const inForeach: readonly StepType[] = [...noWaiting, 'agent_run']

/** What was seen of a definition so far. */
interface Seen {
  ids: Set<string>
  expressions: Written[]
}

const compiled = new Map<TSchema, ReturnType<typeof Compile<TSchema>>>()
function checker(schema: TSchema) {
  const known = compiled.get(schema)
  if (known) return known
  const made = Compile(schema)
  compiled.set(schema, made)
  return made
}

interface SchemaFlaw {
  keyword: string
  schemaPath: string
  instancePath: string
  message: string
  params: { requiredProperties?: string[]; allowedValues?: unknown[] }
}

const pathOf = (at: string, instance: string): string =>
  instance
    .split('/')
    .slice(1)
    .reduce((path, name) => (/^\d+$/.test(name) ? `${path}[${name}]` : path ? `${path}.${name}` : name), at)

const below = (at: string, name: string) => (at ? `${at}.${name}` : name)

type Parts = { properties?: Record<string, Parts>; items?: Parts; description?: string }

/** The schema at an instance path, for the names that are known there. */
function partAt(schema: TSchema, instance: string): Parts | undefined {
  let part: Parts | undefined = schema as Parts
  for (const name of instance.split('/').slice(1)) part = /^\d+$/.test(name) ? part?.items : part?.properties?.[name]
  return part
}

/** What a schema says against a value, the first flaw of each place. */
function schemaFlaws(schema: TSchema, value: unknown, at: string): Flaw[] {
  if (checker(schema).Check(value)) return []
  const flaws = (checker(schema).Errors(value) as unknown as SchemaFlaw[]).flatMap(
    ({ keyword, instancePath, message, params }): Flaw[] => {
      const path = pathOf(at, instancePath)
      if (keyword === 'required')
        return (params.requiredProperties ?? []).map((name) => ({ path: below(path, name), message: 'is missing' }))
      // The schema library says of an unknown member that its schema is false.
      if (keyword === 'boolean') return [{ path, message: unknownMember(schema, instancePath) }]
      if (keyword === 'additionalProperties') return []
      if (keyword === 'enum') return [{ path, message: `must be one of ${(params.allowedValues ?? []).join(', ')}` }]
      const wanted = keyword === 'pattern' ? partAt(schema, instancePath)?.description : undefined
      return [{ path, message: wanted ? `must be ${wanted}` : message }]
    },
  )
  const seen = new Set<string>()
  return flaws.filter(({ path }) => !seen.has(path) && seen.add(path))
}

function unknownMember(schema: TSchema, instance: string): string {
  const at = instance.lastIndexOf('/')
  const name = instance.slice(at + 1)
  return `is not known here${hint(name, Object.keys(partAt(schema, instance.slice(0, at))?.properties ?? {}))}`
}

/** Everything that is wrong with a definition but for its expressions, which are still to be read. */
export function lookAt(given: unknown): { flaws: Flaw[]; expressions: Written[] } {
  const seen: Seen = { ids: new Set(), expressions: [] }
  return { flaws: flawsOf(given, seen), expressions: seen.expressions }
}

function flawsOf(given: unknown, seen: Seen): Flaw[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return [{ path: '', message: 'A definition is an object with dsl_version, name and steps' }]
  const flaws = schemaFlaws(LooseDefinition, given, '')
  const definition = given as RoutineDefinition
  if (!Array.isArray(definition.steps)) return flaws
  const lists: [at: string, steps: unknown, types: readonly StepType[]][] = [
    ['steps', definition.steps, stepTypes],
    ...(['before_all', 'after_all', 'on_failure'] as const).map(
      (name) => [`hooks.${name}`, definition.hooks?.[name] ?? [], noWaiting] as [string, unknown, readonly StepType[]],
    ),
  ]
  for (const [at, steps, types] of lists) flaws.push(...stepsFlaws(at, steps, types, seen))
  if (flaws.length) return flaws
  return [...orderFlaws(definition), ...citationFlaws(definition), ...inputFlaws(definition), ...agentFlaws(definition)]
}

/** An agentless definition asks no agent. */
function agentFlaws(definition: RoutineDefinition): Flaw[] {
  const asking = definition.agentless ? stepsOf(definition).find(({ type }) => type === 'agent_run') : undefined
  return asking ? [{ path: 'agentless', message: `is not true: the step "${asking.id}" asks an agent` }] : []
}

/** The steps of a definition, and of its loops, must be of known types and have ids of their own. */
function stepsFlaws(at: string, steps: unknown, types: readonly StepType[], seen: Seen): Flaw[] {
  if (!Array.isArray(steps)) return []
  if (steps.length > mostRoutineSteps) return [{ path: at, message: `has more than ${mostRoutineSteps} steps` }]
  return steps.flatMap((step, index) => stepFlaws(`${at}[${index}]`, step, types, seen))
}

function stepFlaws(at: string, given: unknown, types: readonly StepType[], seen: Seen): Flaw[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return [{ path: at, message: 'must be an object with id and type' }]
  const step = given as RoutineStep
  const type = step.type as string
  if (!types.includes(step.type))
    return [{ path: `${at}.type`, message: `must be one of ${types.join(', ')}${hint(String(type), types)}` }]
  const flaws = schemaFlaws(stepSchemas[step.type], step, at)
  if (flaws.length) return flaws
  if (seen.ids.has(step.id)) flaws.push({ path: `${at}.id`, message: `"${step.id}" is the id of another step` })
  seen.ids.add(step.id)
  return [...flaws, ...meaningFlaws(at, step, seen)]
}

/** What a schema cannot say of a step. */
function meaningFlaws(at: string, step: RoutineStep, seen: Seen): Flaw[] {
  const flaws: Flaw[] = []
  const wrong = (path: string, message: string) => flaws.push({ path: `${at}.${path}`, message })
  const written = (path: string, text: string, language: Written['language'] = 'cel') =>
    seen.expressions.push({ path: `${at}.${path}`, text, language })
  if (step.if !== undefined && !step.if.includes('{{')) written('if', step.if)
  if (step.type === 'code') {
    if (Buffer.byteLength(step.code.code) > mostCode) wrong('code.code', 'has more than 1 MiB')
    else written('code.code', step.code.code, step.code.runtime)
  }
  if (step.type === 'transform')
    wrong(
      'transform.expression',
      compileFlaw(() => transform(step.transform.expression)),
    )
  if (step.type === 'wait') {
    const needed = { approval: 'approval_prompt', datetime: 'until', event: 'event_type' } as const
    for (const [kind, member] of Object.entries(needed)) {
      const has = step.wait[member] !== undefined
      if (kind === step.wait.kind && !has) wrong(`wait.${member}`, `is what a wait for ${kind} needs`)
      if (kind !== step.wait.kind && has) wrong(`wait.${member}`, `belongs to a wait for ${kind}`)
    }
  }
  if (step.type === 'script' || step.type === 'code') {
    const { env = {} } = step.type === 'code' ? step.code : step.script
    const name = Object.keys(env).find((one) => !/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(one) || one.startsWith('SVC_'))
    if (name) wrong(`${step.type}.env.${name}`, 'is no name for a variable: letters, digits and _, not SVC_…')
  }
  if (step.type === 'script') {
    const { args } = step.script
    if (citedSecrets(args).size) wrong('script.args', 'may not cite secrets, which others could see: use script.env')
    flaws.push(...variableFlaws(`${at}.script.args`, args, step.script.env))
  }
  if (step.type === 'http') {
    const { credential_ref: ref, url } = step.http
    if (!url.startsWith('{{') && !/^https:\/\//i.test(url)) wrong('http.url', 'must begin with https://')
    if (ref?.inject_as === 'header' && !ref.header_name) wrong('http.credential_ref.header_name', 'is missing')
    if (ref?.inject_as === 'query' && !ref.query_name) wrong('http.credential_ref.query_name', 'is missing')
  }
  for (const name of ['before', 'after'] as const)
    flaws.push(...stepsFlaws(`${at}.hooks.${name}`, step.hooks?.[name] ?? [], noWaiting, seen))
  if (step.type === 'agent_run' && step.model_override !== undefined) {
    if (step.complexity !== undefined) wrong('complexity', 'has no effect beside model_override')
    if (step.on_fail === 'escalate_tier') wrong('on_fail', 'takes grades of models: leave out model_override')
  }
  if (step.validation?.schema) wrong('validation.schema', schemaFlaw(step.validation.schema))
  if (step.type === 'foreach') {
    const hooked = (step.foreach.steps as RoutineStep[]).findIndex(({ hooks }) => hooks)
    if (hooked >= 0) wrong(`foreach.steps[${hooked}].hooks`, 'cannot stand within a loop: make them steps of it')
    flaws.push(...stepsFlaws(`${at}.foreach.steps`, step.foreach.steps, inForeach, seen))
    if ([...roots, 'env'].includes(step.foreach.as ?? 'item')) wrong('foreach.as', 'is the name of something else')
  }
  return flaws.filter(({ message }) => message !== '')
}

/** Arguments may cite the variables of their own step, but for those with secrets. */
function variableFlaws(at: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Flaw[] {
  const names = cited(args)
    .map(namesOf)
    .filter(([root]) => root === 'env')
  return names.flatMap(([, name = '', ...more]) => {
    const path = ['env', name, ...more].join('.')
    if (!Object.hasOwn(env, name) || more.length > 0)
      return [{ path: at, message: `{{ ${path} }} names no variable of the step${hint(name, Object.keys(env))}` }]
    return citedSecrets(env[name]).size
      ? [{ path: at, message: `{{ ${path} }} holds a secret, which others could see: read the variable in the script` }]
      : []
  })
}

/** Patterns could take forever, and references lead elsewhere. */
const unsafe = ['pattern', 'patternProperties', '$ref', '$dynamicRef', '$recursiveRef']

function schemaFlaw(schema: unknown): string {
  const found = unsafe.find((word) => JSON.stringify(schema).includes(`"${word}":`))
  if (found) return `may not use "${found}"`
  return compileFlaw(() => Value.Check(schema as TSchema, null))
}

/** Steps that wait for what is not there, or for each other. */
function orderFlaws(definition: RoutineDefinition): Flaw[] {
  const ids = definition.steps.map(({ id }) => id)
  const missing = definition.steps.flatMap(({ needs = [] }, index) =>
    needs
      .filter((id) => !ids.includes(id))
      .map((id) => ({ path: `steps[${index}].needs`, message: `names no step: "${id}"${hint(id, ids)}` })),
  )
  if (missing.length) return missing
  const needs = new Map(nodesOf(definition).map((node) => [node.key, node.needs]))
  const index = ids.findIndex((id) => reached(id, (one) => needs.get(one) ?? []).has(id))
  return index < 0
    ? []
    : [{ path: `steps[${index}].needs`, message: 'goes round in a circle: the step waits for itself' }]
}

const roots = ['inputs', 'steps', 'run', 'event', 'secrets']
const ofRun = ['id', 'slug', 'triggered_via', 'started_at', 'metadata', 'tags', 'depth']
const mayHoldSecrets: readonly StepType[] = ['http', 'notify', 'script']

/** Templates that name nothing. */
function citationFlaws(definition: RoutineDefinition): Flaw[] {
  const inputs = (definition.inputs ?? []).map(({ name }) => name)
  const hooks = Object.values(definition.hooks ?? {}).flat()
  const ids = stepsOf(definition).map(({ id }) => id)
  const secrets = (definition.credentials_required ?? []).map(({ type }) => type)
  const check = (at: string, step: RoutineStep, items: readonly string[]): Flaw[] => {
    const inner = step.type === 'foreach' ? (step.foreach.steps as RoutineStep[]) : []
    const { hooks: { before = [], after = [] } = {}, ...alone } = step
    const env = alone.type === 'code' ? (alone.code.env ?? {}) : {}
    // What variables are cited was looked at with the step itself.
    const args = alone.type === 'script' ? (alone.script.args ?? []) : []
    const own =
      alone.type === 'foreach'
        ? { ...alone, foreach: { ...alone.foreach, steps: [] } }
        : alone.type === 'code'
          ? { ...alone, code: { ...alone.code, env: {} } }
          : alone.type === 'script'
            ? { ...alone, script: { ...alone.script, args: [] } }
            : alone
    const of = (part: unknown, withSecrets: boolean, more: readonly string[] = []) =>
      cited(part).flatMap((path): Flaw[] => {
        const known = { inputs, ids, secrets, items: [...items, ...more], type: step.type, withSecrets }
        const message = wrongWith(path, known)
        return message ? [{ path: at, message: `{{ ${path} }} ${message}` }] : []
      })
    const flaws = [...of(own, mayHoldSecrets.includes(step.type)), ...of(env, true), ...of(args, true, ['env'])]
    const names = step.type === 'foreach' ? [...items, step.foreach.as ?? 'item', 'index'] : items
    const beside = (list: unknown[], when: string) =>
      (list as RoutineStep[]).flatMap((one, index) => check(`${at}.hooks.${when}[${index}]`, one, items))
    return [
      ...flaws,
      ...inner.flatMap((one, index) => check(`${at}.foreach.steps[${index}]`, one, names)),
      ...beside(before, 'before'),
      ...beside(after, 'after'),
    ]
  }
  const refs = definition.steps.flatMap((step, index) =>
    step.type === 'http' && step.http.credential_ref && !secrets.includes(step.http.credential_ref.type)
      ? [{ path: `steps[${index}].http.credential_ref.type`, message: 'is none of credentials_required' }]
      : [],
  )
  const outputs = cited([definition.outputs, definition.concurrency_key]).flatMap((path): Flaw[] => {
    const message = wrongWith(path, { inputs, ids, secrets: [], items: [], type: 'transform', withSecrets: false })
    return message ? [{ path: 'outputs', message: `{{ ${path} }} ${message}` }] : []
  })
  return [
    ...definition.steps.flatMap((step, index) => check(`steps[${index}]`, step, [])),
    ...hooks.flatMap((step) => check(`hooks: ${step.id}`, step, [])),
    ...refs,
    ...outputs,
  ]
}

interface Known {
  inputs: readonly string[]
  ids: readonly string[]
  secrets: readonly string[]
  items: readonly string[]
  type: StepType
  /** Secrets may stand there. */
  withSecrets: boolean
}

function wrongWith(path: string, { inputs, ids, secrets, items, type, withSecrets }: Known): string | null {
  if (!isPath(path)) return 'is no path such as steps.list.output.items[0]'
  const [root, name, member] = namesOf(path)
  if (items.includes(root!)) return null
  if (!roots.includes(root!)) return `names nothing${hint(root!, [...roots, ...items])}`
  if (root === 'inputs' && name !== undefined && !inputs.includes(name)) return `names no input${hint(name, inputs)}`
  if (root === 'run' && !ofRun.includes(name ?? '')) return `names nothing of a run: ${ofRun.join(', ')}`
  if (root === 'steps') {
    if (name === undefined || !ids.includes(name)) return `names no step${hint(name ?? '', ids)}`
    if (!['output', 'status', 'error'].includes(member ?? '')) return 'must go on with output, status or error'
  }
  if (root === 'secrets') {
    if (!withSecrets) return `may not stand in a step of type ${type}`
    if (!secrets.includes(name ?? '')) return `names none of credentials_required${hint(name ?? '', secrets)}`
  }
  return null
}

/** Why a person must look at a definition before it runs. docs/routines.md, "Approval". */
export function risksOf(definition: RoutineDefinition): string[] {
  const { egress_targets, credentials_required } = definition
  const all = stepsOf(definition)
  const has = (type: StepType) => all.some((step) => step.type === type)
  return [
    ...(has('http') ? ['http_step'] : []),
    ...(has('code') || has('script') ? ['code_step'] : []),
    ...(has('script') ? ['script_step'] : []),
    ...(egress_targets?.length ? ['egress_targets'] : []),
    ...(credentials_required?.length ? ['credentials_required'] : []),
  ]
}
