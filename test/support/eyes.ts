import xterm from '@xterm/headless'
import type { Terminal } from './cli.ts'

/**
 * What stands on a terminal of that size once it was sent this text: its lines from the first that scrolled away on,
 * and the cursor.
 */
export async function seen(
  text: string,
  cols = 100,
  rows = 30,
): Promise<{ lines: string[]; cursor: { x: number; y: number } }> {
  const terminal = new xterm.Terminal({ cols, rows, scrollback: 10_000, allowProposedApi: true })
  await new Promise<void>((resolve) => terminal.write(text, resolve))
  const { active } = terminal.buffer
  const lines = Array.from({ length: active.length }, (_, y) => active.getLine(y)!.translateToString(true))
  while (lines.at(-1) === '') lines.pop()
  const cursor = { x: active.cursorX, y: active.baseY + active.cursorY }
  terminal.dispose()
  return { lines, cursor }
}

/** What a person sees at the terminal, once it is as the check wants it. */
export async function eventually(
  terminal: Terminal,
  check: (lines: string[]) => boolean,
  size: { cols?: number; rows?: number } = {},
): Promise<string[]> {
  for (;;) {
    const before = terminal.text().length
    const { lines } = await seen(terminal.text(), size.cols, size.rows)
    if (check(lines)) return lines
    await terminal.until(new RegExp(`^[^]{${before + 1},}`)).catch((error: Error) => {
      throw new Error(`${error.message.split('\n')[0]}\n${lines.join('\n')}`)
    })
  }
}
