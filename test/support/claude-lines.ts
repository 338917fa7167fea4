/** Lines of `claude --output-format stream-json`, as short as they can be. */

export const init = {
  type: 'system',
  subtype: 'init',
  model: 'scripted-1',
  session_id: 's1',
  tools: ['Bash', 'Read'],
  claude_code_version: '2.1.197',
  apiKeySource: 'ANTHROPIC_API_KEY',
  permissionMode: 'bypassPermissions',
  cwd: '/output/ada',
  mcp_servers: [],
  skills: [],
}

let messages = 0
const assistant = (block: object) => ({
  type: 'assistant',
  message: { id: `msg_${++messages}`, role: 'assistant', content: [block], usage: {} },
})

export const says = (text: string) => assistant({ type: 'text', text })
export const thinks = (thinking: string) => assistant({ type: 'thinking', thinking })
export const calls = (id: string, name: string, input: object = {}) => assistant({ type: 'tool_use', id, name, input })
export const gets = (id: string, content: string, is_error = false) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] },
})

export const result = (more: object = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  duration_ms: 1200,
  num_turns: 2,
  result: 'done',
  total_cost_usd: 0.25,
  usage: { input_tokens: 30, output_tokens: 12 },
  session_id: 's1',
  ...more,
})
