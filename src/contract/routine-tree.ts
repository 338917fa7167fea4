import { Type } from 'typebox'
import { Id, nullable } from './fields.ts'

export const treeNodeKinds = ['step', 'run', 'agent_run', 'assignment'] as const
/** The most nodes of a tree. */
export const mostTreeNodes = 1000

const text = nullable(Type.String())

/** A step of a routine, or what it began: the run of a routine or an agent, and what that delegated. */
const Node = Type.Object({
  id: Type.String(),
  parent_id: nullable(Type.String({ description: 'null: a step of the run itself' })),
  kind: Type.Enum([...treeNodeKinds]),
  name: Type.String({ description: "A step's key, a routine's slug, or an agent's slug" }),
  about: Type.String({ description: "A step's type, or the task that was given" }),
  status: Type.String(),
  run_id: nullable(Type.String({ description: 'The run that it is, or that the agent worked in' })),
  started_at: text,
  finished_at: text,
  error_message: text,
})

/** A run of a routine with all that its steps began. docs/routines.md, "Runs". */
export const RoutineTree = Type.Object({
  run_id: Id,
  pipeline_slug: Type.String(),
  status: Type.String(),
  started_at: text,
  finished_at: text,
  nodes: Type.Array(Node, { description: `A parent before its children; ${mostTreeNodes} at most` }),
})
