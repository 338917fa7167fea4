import { describeContained } from '../support/container-suite.ts'
import { type ResponsesBody, responsesEndpoint } from '../support/responses-endpoint.ts'

await describeContained<ResponsesBody>({
  adapter: 'CODEX_CLI',
  client: 'codex',
  prefix: 'muster-codex',
  provider: 'OPENAI',
  model: 'gpt-5',
  variable: 'OPENAI_API_KEY',
  keys: { good: 'sk-proj-good-7f3a91c2d4', bad: 'sk-proj-bad-5b8e20aa17' },
  address: (url) => ({ SVC_OPENAI_URL: url }),
  endpoint: responsesEndpoint,
  shell: (cmd) => ({ name: 'exec_command', input: { cmd } }),
  mcpTool: (server, tool, input) => ({ name: `mcp__${server}.${tool}`, input }),
  asked({ input }) {
    const at = input.findLastIndex(({ role, content }) => role === 'user' && !content?.[0]?.text?.startsWith('<'))
    const said = input[at]?.content?.map(({ text }) => text).join('') ?? ''
    return { said, steps: input.slice(at).filter(({ type }) => type === 'function_call_output').length }
  },
})
