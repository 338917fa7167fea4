import type { ChatEvent, LogFrame } from '#contract/frames'
import type { Said } from '#kernel/runs'

/** A stored message as frames; a message of a person becomes the prompt's frame. */
export function framesOf({ role, content, parts, ts }: Said & { ts: string }): LogFrame[] {
  if (role === 'user') return [{ type: 'user_message', content, metadata: {}, ts }]
  if (!parts?.length) return content ? [{ type: 'text', content, ts }] : []
  return parts.map(({ type, content, tool_name, tool_id, metadata }) => {
    const more = { ...(tool_name && { tool_name }), ...(tool_id && { tool_id }), ...metadata }
    return { type, content: content ?? '', metadata: more, ts } as ChatEvent & { ts: string }
  })
}
