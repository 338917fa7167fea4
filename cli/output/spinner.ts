import { cleanLine } from './clean.ts'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

export interface Spinner {
  /** Changes the text beside the turning mark. */
  say(text: string): void
  stop(): void
}

/** A turning mark with a text on a terminal, shown once the work takes longer than a moment. Elsewhere it is silent. */
export function spinner(text: string, stream: NodeJS.WriteStream): Spinner {
  if (!stream.isTTY) return { say() {}, stop() {} }
  let shown = cleanLine(text)
  let at = 0
  let drawn = false
  const draw = () => {
    drawn = true
    stream.write(`\r\u001b[K${frames[at++ % frames.length]} ${shown}`)
  }
  const begin = setTimeout(() => {
    draw()
    timer = setInterval(draw, 100)
  }, 200)
  let timer: NodeJS.Timeout | undefined
  return {
    say(text) {
      shown = cleanLine(text)
      if (drawn) draw()
    },
    stop() {
      clearTimeout(begin)
      clearInterval(timer)
      if (drawn) stream.write('\r\u001b[K')
    },
  }
}
