import { fstatSync } from 'node:fs'
import { InputError, stdinText } from '../input.ts'

const silenceMs = 3000

/** The message: the words of the command line, followed by standard input. */
export async function promptOf(words: string | undefined, remark: (text: string) => void): Promise<string> {
  const piped = stdinGiven() ? await read(remark) : ''
  const prompt = [words === '-' ? '' : (words ?? ''), piped]
    .map((part) => part.trim())
    .filter(Boolean)
    .join('\n\n')
  if (!prompt)
    throw new InputError('The question is empty.', 'muster ask AGENT "...", or give the question on standard input')
  return prompt
}

/** Input comes from a pipe, a file or a socket, not from a terminal or /dev/null. */
function stdinGiven(): boolean {
  if (process.stdin.isTTY) return false
  try {
    const stat = fstatSync(0)
    return stat.isFIFO() || stat.isFile() || stat.isSocket()
  } catch {
    return false
  }
}

/** Says what the command waits for, in case a pipe was left open by mistake. */
async function read(remark: (text: string) => void): Promise<string> {
  const timer = setTimeout(
    () => remark('Waiting for the end of standard input; add < /dev/null when it has nothing to say.'),
    silenceMs,
  )
  try {
    return await stdinText()
  } finally {
    clearTimeout(timer)
  }
}
