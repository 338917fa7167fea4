import { fstatSync } from 'node:fs'
import { InputError, stdinText } from '../input.ts'

const silenceMs = 3000

/** What is to be said: the words of the command line, then what is on standard input. */
export async function promptOf(words: string | undefined, remark: (text: string) => void): Promise<string> {
  const piped = stdinGiven() ? await read(remark) : ''
  const prompt = [words === '-' ? '' : (words ?? ''), piped]
    .map((part) => part.trim())
    .filter(Boolean)
    .join('\n\n')
  if (!prompt)
    throw new InputError('There is nothing to ask.', 'muster ask AGENT "...", or give the question on standard input')
  return prompt
}

/** A pipe, a file or a socket says something; a terminal or /dev/null does not. */
function stdinGiven(): boolean {
  if (process.stdin.isTTY) return false
  try {
    const stat = fstatSync(0)
    return stat.isFIFO() || stat.isFile() || stat.isSocket()
  } catch {
    return false
  }
}

/** Whoever left a pipe open by mistake is told what the command waits for. */
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
