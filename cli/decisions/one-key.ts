import type { ReadStream } from 'node:tty'
import { Keyboard } from '../inbox/keyboard.ts'

/** Waits for one of these keys at a terminal; Escape and Ctrl-C are the last of them. */
export async function oneKey<K extends string>(question: string, keys: readonly K[]): Promise<K> {
  process.stderr.write(question)
  const last = keys.at(-1)!
  const key = await new Promise<K>((done) => {
    const nothing = () => {}
    const keyboard: Keyboard<K> = new Keyboard<K>(
      process.stdin as ReadStream,
      process.stderr,
      {
        action(pressed) {
          keyboard.close()
          done(pressed)
        },
        hungUp() {
          keyboard.close()
          done(last)
        },
        change: nothing,
        clear: nothing,
        suspend: nothing,
        resume: () => process.stderr.write(question),
      },
      (text, { name, ctrl }) => {
        if (ctrl && name === 'z') return 'suspend'
        if (name === 'escape' || (ctrl && (name === 'c' || name === 'd'))) return last
        return keys.find((it) => it === text)
      },
    )
  })
  process.stderr.write('\n')
  return key
}
