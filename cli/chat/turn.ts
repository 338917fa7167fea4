import type { Delegated, Result, RunFrame } from '#contract/frames'
import { briefOf, type ToolUse, toolName } from './tools.ts'

/** What a frame means to who watches a turn. */
export type TurnEvent =
  /** `fresh`: the agent begins to speak anew, after a tool or a thought. */
  | { type: 'text'; text: string; fresh: boolean }
  | { type: 'thinking'; text: string; fresh: boolean }
  | { type: 'call'; tool: ToolUse }
  | { type: 'result'; tool: ToolUse; output: string }
  | { type: 'image'; text: string }
  | { type: 'status'; text: string }
  | { type: 'error'; text: string; reason: string }
  | { type: 'user'; text: string; messageId: string | null }
  /** Work that was given to another agent. */
  | { type: 'delegated'; work: Delegated }
  /** Another agent wrote the same thing. */
  | { type: 'collision'; summary: string }
  | { type: 'done' }

/** One run of an agent as its frames tell it. */
export class Turn {
  runId: string | null = null
  /** What the agent itself said, as the stored message will hold it. */
  text = ''
  readonly tools = new Map<string, ToolUse>()
  result: Result | null = null
  error: { text: string; reason: string } | null = null
  done = false
  /** The item of the inbox that the agent waits for, when it has asked a person. */
  waitsFor: string | null = null
  /** Frames are missing: only the stored message has everything. */
  incomplete = false
  private speaker: string | null = null
  private readonly now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.now = now
  }

  /** Takes the next frame. `late`: it is not known when that happened. */
  take(frame: RunFrame, late = false): TurnEvent[] {
    switch (frame.type) {
      case 'text':
        return this.say(frame)
      case 'thinking':
        return [
          { type: 'thinking', text: frame.content, fresh: this.speaks('thinking', frame.metadata.parent_tool_use_id) },
        ]
      case 'tool_call':
        return this.call(frame, late)
      case 'tool_result':
        return this.resolve(frame, late)
      case 'image':
        this.speaker = null
        return [{ type: 'image', text: frame.metadata.media_type }]
      case 'result':
        this.result = frame.metadata
        return []
      case 'error':
        return this.fail(frame)
      case 'done':
        return this.finish(frame)
      case 'status':
        return [{ type: 'status', text: frame.content }]
      case 'crew_provisioning':
        return [
          { type: 'status', text: frame.content ?? `The crew ${frame.metadata.crew_slug} is ${frame.metadata.status}` },
        ]
      case 'user_message':
        this.speaker = null
        return [
          {
            type: 'user',
            text: frame.content,
            messageId: typeof frame.metadata['message_id'] === 'string' ? frame.metadata['message_id'] : null,
          },
        ]
      default:
        return []
    }
  }

  /** Tools that were called and have no result. */
  get running(): ToolUse[] {
    return [...this.tools.values()].filter(({ status }) => status === 'running')
  }

  private say({ content, metadata }: RunFrame & { type: 'text' }): TurnEvent[] {
    if (!content) return []
    const fresh = this.speaks('text', metadata?.parent_tool_use_id)
    // A sub-agent speaks to its agent: what it found comes in the agent's own words.
    if (metadata?.subagent) return []
    this.text += (fresh && this.text ? '\n\n' : '') + content
    return [{ type: 'text', text: content, fresh }]
  }

  private speaks(kind: string, parent = ''): boolean {
    const speaker = `${kind} ${parent}`
    const fresh = this.speaker !== speaker
    this.speaker = speaker
    return fresh
  }

  private call({ metadata }: RunFrame & { type: 'tool_call' }, late: boolean): TurnEvent[] {
    this.speaker = null
    const tool: ToolUse = {
      id: metadata.tool_id,
      name: toolName(metadata),
      brief: briefOf(metadata.input),
      input: metadata.input,
      nested: metadata.subagent === true,
      status: 'running',
      startedAt: late ? Number.NaN : this.now(),
      duration_ms: null,
    }
    this.tools.set(tool.id, tool)
    return [{ type: 'call', tool }]
  }

  private resolve({ content, metadata }: RunFrame & { type: 'tool_result' }, late: boolean): TurnEvent[] {
    this.speaker = null
    const tool = this.tools.get(metadata.tool_id)
    if (!tool) return []
    tool.status = metadata.is_error ? 'failed' : 'ok'
    const spent = this.now() - tool.startedAt
    tool.duration_ms = late || Number.isNaN(spent) ? null : Math.round(spent)
    return [{ type: 'result', tool, output: content }]
  }

  private fail({ content, metadata }: RunFrame & { type: 'error' }): TurnEvent[] {
    this.speaker = null
    this.error = { text: content, reason: metadata?.reason ?? 'internal' }
    return [{ type: 'error', ...this.error }]
  }

  private finish({ metadata }: RunFrame & { type: 'done' }): TurnEvent[] {
    this.done = true
    this.runId ??= metadata?.trace_id ?? null
    this.waitsFor = metadata?.inbox_item_id ?? null
    for (const tool of this.running) tool.status = 'unfinished'
    return [{ type: 'done' }]
  }
}
