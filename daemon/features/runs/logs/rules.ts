import type { ChatEvent, LogFrame } from '#contract/frames'
import type { Said } from '#kernel/runs'

/** What was said in a run as the frames in which it came; those of a person are what the run was asked. */
export function framesOf({ role, content, parts, ts }: Said & { ts: string }): LogFrame[] {
  if (role === 'user') return [{ type: 'user_message', content, metadata: {}, ts }]
  if (!parts?.length) return content ? [{ type: 'text', content, ts }] : []
  return parts.map(({ type, content, tool_name, tool_id, metadata }) => {
    const more = { ...(tool_name && { tool_name }), ...(tool_id && { tool_id }), ...metadata }
    return { type, content: content ?? '', metadata: more, ts } as ChatEvent & { ts: string }
  })
}
