import { describeContained } from '../support/container-suite.ts'
import { type GeminiBody, geminiEndpoint } from '../support/gemini-endpoint.ts'

await describeContained<GeminiBody>({
  adapter: 'GEMINI_CLI',
  client: 'gemini',
  prefix: 'muster-gemini',
  provider: 'GOOGLE',
  model: 'gemini-2.5-flash',
  variable: 'GEMINI_API_KEY',
  keys: { good: 'AIzaSyGood7f3a91c2d4e5f60718293a4b5c6d7e8', bad: 'AIzaSyBad5b8e20aa1f7c64d9e03b2a1f8c7d6e5f' },
  address: (url) => ({ SVC_GOOGLE_URL: url }),
  endpoint: geminiEndpoint,
  shell: (command) => ({ name: 'run_shell_command', input: { command } }),
  mcpTool: (server, tool, input) => ({ name: `mcp_${server}_${tool}`, input }),
  asked({ contents }) {
    const at = contents.findLastIndex(
      ({ role, parts }) => role === 'user' && parts.every(({ text }) => text !== undefined),
    )
    const parts = contents.slice(at).flatMap((content) => content.parts)
    return {
      said: contents[at]?.parts.at(-1)?.text ?? '',
      steps: parts.filter(({ functionResponse }) => functionResponse).length,
    }
  },
})
