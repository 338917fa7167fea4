import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { type AssistantTool, assistantTools } from '#contract/assistant-tools'
import type { App } from '#kernel/app'
import { authorize } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { Problem } from '#kernel/problem'

/** Whether role and token allow an operation at all; what it is about is judged when it is called. */
function allows({ db, operations }: App, actor: Actor, name: string): boolean {
  try {
    authorize(db, operations.get(name)!.endpoint, actor)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

/** A tool that this person may use with this token; undefined for others and for what is none. */
export const toolFor = (app: App, actor: Actor, name: string): AssistantTool | undefined =>
  assistantTools.find((it) => it.name === name && it.operations.every((one) => allows(app, actor, one)))

/** The tools that this person may use with this token. */
export const offeredTo = (app: App, actor: Actor): Tool[] =>
  assistantTools
    .filter(({ name }) => toolFor(app, actor, name))
    .map(({ name, description, inputSchema, readOnly }) => ({
      name,
      description,
      inputSchema,
      annotations: { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: false },
    }))
