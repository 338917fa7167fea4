import { describeContained } from '../support/container-suite.ts'
import { type ContentBlock, type MessagesBody, modelEndpoint } from '../support/model-endpoint.ts'

/** What the client itself adds to the messages of people stands in blocks that begin so. */
const added = '<system-'

const blocks = ({ content }: MessagesBody['messages'][number]): ContentBlock[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

await describeContained<MessagesBody>({
  adapter: 'FACTORY_DROID',
  client: 'droid',
  prefix: 'muster-droid',
  provider: 'ANTHROPIC',
  model: 'scripted-model',
  variable: 'ANTHROPIC_API_KEY',
  keys: { good: 'sk-ant-api03-good-7f3a91c2d4', bad: 'sk-ant-api03-bad-5b8e20aa17' },
  address: (url) => ({ SVC_ANTHROPIC_URL: url }),
  endpoint: modelEndpoint,
  shell: (command) => ({ name: 'Execute', input: { command, summary: 'by the script' } }),
  mcpTool: (server, tool, input) => ({ name: `${server}___${tool}`, input }),
  asked({ messages }) {
    const text = (message: MessagesBody['messages'][number]) =>
      blocks(message).flatMap(({ text }) => (text && !text.startsWith(added) ? [text] : []))
    const at = messages.findLastIndex((message) => message.role === 'user' && text(message).length > 0)
    const steps = messages
      .slice(at)
      .flatMap(blocks)
      .filter(({ type }) => type === 'tool_result').length
    return { said: text(messages[at]!).join(''), steps }
  },
})
