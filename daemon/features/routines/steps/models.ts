import { cliAdapters, providerFor, splitModel } from '#contract/agents'
import { type ModelTier, modelTiers, type StepOf } from '#contract/routine-definition'
import { providerOf, providerOfModel } from '../../../providers/index.ts'
import type { AgentRow } from '../../agents/service.ts'

type Grading = Pick<StepOf<'agent_run'>, 'complexity' | 'model_override' | 'on_fail'>
type Client = Pick<AgentRow, 'slug' | 'cli_adapter' | 'llm_provider' | 'llm_model'>

/** The model for a step; null for the agent's own, with the reason where another was asked for. */
export type Chosen = { model: string | null; warning?: string } | { error: string }

/**
 * The model with which an agent does a step: the one that the step names, or that of a grade. `tier` is the grade that
 * the run asks for. docs/routines.md, "Models".
 */
export function modelFor(step: Grading, agent: Client, tier: ModelTier | null, attempt: number): Chosen {
  if (step.model_override !== undefined && tier === null) return named(step.model_override, agent)
  const grade = gradeOf(step, tier, attempt)
  if (grade === null) return { model: null }
  const { owner, name } = splitModel(agent.cli_adapter, agent.llm_model ?? '')
  const provider = owner ?? providerOfModel(name)?.name ?? providerFor(agent.cli_adapter, agent.llm_provider)
  const model = providerOf(provider ?? '')?.models?.tiers?.[grade]
  return model
    ? { model }
    : { model: null, warning: `${agent.slug} used its own model: Muster knows no grades of models of ${provider}` }
}

/** The grade of an attempt: with escalate_tier each attempt takes the next better one. */
function gradeOf({ complexity, on_fail }: Grading, tier: ModelTier | null, attempt: number): ModelTier | null {
  const wanted = tier ?? complexity ?? null
  if (on_fail !== 'escalate_tier' || attempt === 1) return wanted
  const first = modelTiers.indexOf(wanted ?? 'moderate')
  return modelTiers[Math.min(first + attempt - 1, modelTiers.length - 1)]!
}

/** `ADAPTER:MODEL` is for agents of that client alone. */
function named(text: string, { slug, cli_adapter }: Client): Chosen {
  const at = text.indexOf(':')
  const adapter = cliAdapters.find((it) => it === text.slice(0, Math.max(at, 0)).toUpperCase())
  if (!adapter) return { model: text }
  const model = text.slice(at + 1)
  return adapter === cli_adapter
    ? { model }
    : { error: `${slug} works with ${cli_adapter}, and model_override names a model of ${adapter}` }
}
