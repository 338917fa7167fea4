import { spawn } from 'node:child_process'

/** The pager that is set; empty turns it off. */
export const pagerOf = (env: NodeJS.ProcessEnv = process.env): string => env['SVC_PAGER'] ?? env['PAGER'] ?? 'less'

/** Shows text in the pager (`less -FIRX` unless set) and waits until it ends. False when there is none. */
export function page(text: string, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const command = pagerOf(env)
  if (command.trim() === '' || command.trim() === 'cat') return Promise.resolve(false)
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env: { LESS: 'FIRX', ...env } })
    // Leaving the pager early closes the pipe: no failure.
    child.stdin.on('error', () => {})
    child.on('error', () => resolve(false))
    // 127: the shell found no such program.
    child.on('close', (code) => resolve(code !== 127))
    child.stdin.end(text)
  })
}
