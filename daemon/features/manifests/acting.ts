import type { KindName } from '#contract/manifest-kinds'
import type { App } from '#kernel/app'
import { carryOutWithin, prepared } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { Problem, problem } from '#kernel/problem'
import { kinds } from './kinds/index.ts'
import type { Hands } from './kinds/kind.ts'
import type { State } from './plan.ts'
import { queries } from './queries.ts'
import { turns } from './turns.ts'
import type { Action, Flaw, Path } from './types.ts'

interface Work {
  app: App
  actor: Actor
  actions: readonly Action[]
  state: State
  values: Readonly<Record<string, string>>
  skipsTests: boolean
}

/** What the operations of each action wait for, in the order of their calls; null where one was refused. */
export type Ready = readonly (readonly unknown[] | null)[]

const operationOf = ({ operations }: App, name: string) => {
  const operation = operations.get(name)
  if (!operation) throw new Error(`There is no operation ${name}`)
  return operation
}

/** An id of what is yet to be made, while nothing is carried out. */
const pending = 'pending'

/** Lets the operations of all actions do what must be waited for; what they refuse is a flaw. */
export async function prepareAll(work: Work): Promise<{ ready: Ready; flaws: Flaw[] }> {
  const { app, actor } = work
  const ready: (unknown[] | null)[] = []
  const flaws: Flaw[] = []
  const others = turns()
  for (const action of work.actions) {
    const calls: { name: string; input: object }[] = []
    const record = (name: string, input: object) => {
      calls.push({ name, input })
      return { id: pending }
    }
    const at = handsOf(work, { made: new Map(), call: record, records: true })
    try {
      carryOut(at, action)
      const results: unknown[] = []
      for (const { name, input } of calls)
        results.push(await prepared(operationOf(app, name), { ...input, actor, now: app.now() }))
      ready.push(results)
    } catch (error) {
      flaws.push(flawOf(error, action))
      ready.push(null)
    }
    await others()
  }
  return { ready, flaws }
}

/** Carries all actions out within the change that runs now. What is refused is a flaw; the others go on. */
export function carryOutAll(work: Work, ready: Ready): Flaw[] {
  const made = new Map<string, string>()
  const flaws: Flaw[] = []
  for (const [index, action] of work.actions.entries()) {
    const given = ready[index]
    // What builds on what was refused is not refused as well.
    if (!given) {
      made.set(`${action.kind} ${action.name}`, pending)
      continue
    }
    const waiting = [...given]
    const call = (name: string, input: object) => {
      const operation = operationOf(work.app, name)
      return (carryOutWithin(work.app, operation, work.actor, { input, ready: waiting.shift() }) ?? {}) as {
        id?: string
      }
    }
    try {
      const id = carryOut(handsOf(work, { made, call, records: false }), action)
      if (id) made.set(`${action.kind} ${action.name}`, id)
    } catch (error) {
      flaws.push(flawOf(error, action))
      made.set(`${action.kind} ${action.name}`, pending)
    }
  }
  return flaws.filter(({ detail }) => detail !== followsOn)
}

function carryOut(at: Hands, { action, kind, name, stored, members }: Action): string | undefined {
  if (action === 'create') return kinds[kind].create(at, name, members)
  if (action === 'change') kinds[kind].change(at, stored!, members)
  else kinds[kind].remove!(at, stored!)
  return undefined
}

const followsOn = 'It builds on something that was refused'

interface Calls {
  call: Hands['call']
  /** What was made so far. */
  made: ReadonlyMap<string, string>
  /** Calls are noted, not made. */
  records: boolean
}

function handsOf(work: Work, { made, call, records }: Calls): Hands {
  const { app, actor, state, values, skipsTests } = work
  const isPlanned = (kind: KindName, name: string) =>
    work.actions.some((it) => it.action === 'create' && it.kind === kind && it.name === name)
  return {
    app,
    workspace: actor.workspace,
    skipsTests,
    call,
    isRehearsal: records,
    isGiven: (env) => values[env] !== undefined,
    value: (env) => values[env] ?? 'not-given-yet',
    id(kind, name, member) {
      const id = made.get(`${kind} ${name}`) ?? state.get(kind)!.get(name)?.id ?? shippedSkill(app, kind, name)
      if (id === pending) throw problem('invalid_field', { field: member, detail: followsOn })
      if (id) return id
      if (records && isPlanned(kind, name)) return pending
      throw problem('invalid_field', { field: member, detail: `There is no ${nouns[kind] ?? kind} "${name}"` })
    },
    held(agentId, kind, name) {
      const { agentSkills, agentCredentials } = queries(app.db)
      const rows = (kind === 'Skill' ? agentSkills : agentCredentials).all(actor.workspace)
      return rows.find((row) => row.agent_id === agentId && row.name === name)!.id
    },
  }
}

/** Skills are shared by all workspaces. */
const shippedSkill = ({ db }: App, kind: KindName, name: string): string | undefined =>
  kind === 'Skill' ? queries(db).skillCalled.get(name)?.id : undefined

const nouns: Partial<Record<KindName, string>> = {
  Crew: 'crew',
  Agent: 'agent',
  Project: 'project',
  Skill: 'skill',
  Credential: 'credential',
  Label: 'label',
  Milestone: 'milestone',
  Issue: 'issue',
  Routine: 'routine',
  Integration: 'integration of the workspace',
}

/** Members of operations under another name than in documents. */
const renamed: Readonly<Record<string, string>> = {
  crew_id: 'crew',
  author_crew_id: 'crew',
  assignee_id: 'assignee',
  project_id: 'project',
  agents: 'agents',
  template_json: 'stages',
  args_json: 'args',
  env_json: 'env_mapping',
  config_json: 'config',
  milestone_id: 'milestone',
  parent_issue_id: 'parent',
  routine_id: 'routine',
  status: 'begins',
  url: 'source',
}

/** A refusal as a mistake in the document that asks for it. */
function flawOf(error: unknown, { action, kind, name, resource }: Action): Flaw {
  if (!(error instanceof Problem)) throw error
  if (!resource) throw problem(error.code, { detail: `${kind} ${name} cannot be destroyed: ${error.message}` })
  const [first = '', ...more] = (error.field ?? '').split('.')
  const member = resource.paths[first] ? first : (renamed[first] ?? first)
  const found = resource.paths[member]
  const path: Path = found ? [...found, ...more.map((it) => (/^\d+$/.test(it) ? Number(it) : it))] : resource.nameAt
  const what = action === 'create' ? 'created' : 'changed'
  const detail = error.message === followsOn || found ? error.message : `It cannot be ${what}: ${error.message}`
  return { document: resource.document, path, detail }
}
