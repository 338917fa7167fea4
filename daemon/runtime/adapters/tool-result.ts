import type { AgentFrame, Origin } from '#contract/frames'

interface Told {
  failed: boolean
  /** In the client's words; empty when it tells none. */
  status: string
  code: number | undefined
}

/** The frame for what a tool answered. */
export const toolResult = (
  id: string,
  content: string,
  { failed, status, code }: Told,
  origin: Origin = {},
): AgentFrame => ({
  type: 'tool_result',
  content,
  metadata: {
    tool_use_id: id,
    tool_id: id,
    ...(failed && { is_error: true }),
    ...(status && { status }),
    ...(code !== undefined && { exit_code: code }),
    ...origin,
  },
})
