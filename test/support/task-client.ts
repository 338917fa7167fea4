import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A client of agents that does the tasks of missions: it works for up to as many milliseconds, then adds the title of
 * its task to a file, which is the record of what was done outside of the daemon. Asked for a plan it gives this one.
 */
export function taskClient(folder: string, { ms, plan = [] }: { ms: number; plan?: object[] }) {
  const [program, record] = [join(folder, 'task-client.cjs'), join(folder, 'done')]
  writeFileSync(record, '')
  writeFileSync(
    program,
    `#!/usr/bin/env node
const { appendFileSync, readFileSync } = require('node:fs')
if (process.argv.some((word) => word === '--version' || word === '-v')) {
  console.log('0.0.0 (stand-in)')
  process.exit(0)
}
const prompt = readFileSync(0, 'utf8')
const print = (line) => process.stdout.write(JSON.stringify({ ...line, session_id: 's1' }) + '\\n')
const message = (text) => ({ id: 'msg_1', role: 'assistant', content: [{ type: 'text', text }], usage: {} })
const say = (text) => print({ type: 'assistant', message: message(text) })
const ended = { type: 'result', subtype: 'success', is_error: false, duration_ms: 1, num_turns: 1, result: 'done' }
const end = () => print({ ...ended, usage: { input_tokens: 3, output_tokens: 1 } })
print({ type: 'system', subtype: 'init', model: 'stand-in', tools: [], claude_code_version: '0.0.0', mcp_servers: [],
  skills: [] })
const task = /^Your task: (.*)$/m.exec(prompt)
if (!task) {
  say('\`\`\`json\\n' + ${JSON.stringify(JSON.stringify({ tasks: plan }))} + '\\n\`\`\`')
  end()
} else
  setTimeout(() => {
    appendFileSync(${JSON.stringify(record)}, task[1] + '\\n')
    say('Did ' + task[1])
    end()
  }, Math.random() * ${ms})
`,
  )
  chmodSync(program, 0o755)
  return { program, done: () => readFileSync(record, 'utf8').split('\n').filter(Boolean) }
}
