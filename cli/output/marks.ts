type Env = NodeJS.ProcessEnv

/** False where the locale says that the terminal has no more than ASCII. */
export function hasUnicode(env: Env = process.env): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG']
  return !locale || /utf-?8/i.test(locale)
}

// One for one, so that columns stay where they are.
const plain: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['✓', '+'],
    ['✗', 'x'],
    ['…', '~'],
    ['─━', '-'],
    ['│┃', '|'],
    ['┌┐└┘├┤┬┴┼', '+'],
    ['•·', '*'],
    ['›»→', '>'],
    ['‹«←', '<'],
    ['↑', '^'],
    ['↓', 'v'],
    ['‘’', "'"],
    ['“”', '"'],
    ['–—', '-'],
    ['█▀▄▅▆▇', '#'],
    ['▁', '_'],
    ['▂▃', '-'],
    ['⠋⠇', '|'],
    ['⠙⠏', '/'],
    ['⠹⠸⠼', '-'],
    ['⠴⠦⠧', '\\'],
  ].flatMap(([marks, instead]) => [...marks!].map((mark) => [mark, instead!] as const)),
)
const marks = new RegExp(`[${Object.keys(plain).join('')}]`, 'g')

/** The text with our marks in ASCII. What people and agents wrote stays as it is. */
export const asciiMarks = (text: string): string => text.replace(marks, (mark) => plain[mark]!)

/** Writes marks in ASCII to terminals that have nothing else. */
export function plainMarks(stream: NodeJS.WriteStream): void {
  if (!stream.isTTY && !process.env['SVC_FORCE_TTY']) return
  const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean
  stream.write = (chunk: unknown, ...rest: unknown[]) =>
    write(typeof chunk === 'string' ? asciiMarks(chunk) : chunk, ...rest)
}
