import { spawn } from 'node:child_process'

/** Shows text in `$PAGER` (else `less -FRX`) and waits until the pager ends. False when there is no pager. */
export function page(text: string, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const command = env['PAGER'] ?? 'less'
  if (command.trim() === '' || command.trim() === 'cat') return Promise.resolve(false)
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env: { LESS: 'FRX', ...env } })
    // Leaving the pager early closes the pipe: no failure.
    child.stdin.on('error', () => {})
    child.on('error', () => resolve(false))
    // 127: the shell found no such program.
    child.on('close', (code) => resolve(code !== 127))
    child.stdin.end(text)
  })
}
