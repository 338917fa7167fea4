export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

export interface Size {
  cols?: number
  rows?: number
  env?: Record<string, string>
}

/** A command in front of a person. */
export interface Shown {
  /** Everything that the screen was sent so far. */
  text(): string
  /** Resolves once the screen was sent something that matches. */
  until(pattern: RegExp): Promise<string>
  type(text: string): void
  /** The exit code; 128 and the signal when one ended it, as shells say. */
  ended: Promise<number>
}

/** A program at a terminal of its own. */
export interface Terminal extends Shown {
  resize(cols: number, rows: number): void
  kill(signal?: string): void
}

/** What a program shows, until it ends. */
export function screen(ended: Promise<number>) {
  let shown = ''
  const waiting = new Set<() => void>()
  return {
    text: () => shown,
    show(data: string): void {
      shown += data
      for (const check of waiting) check()
    },
    until: (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const check = () => {
          if (!pattern.test(shown)) return
          waiting.delete(check)
          resolve(shown)
        }
        waiting.add(check)
        check()
        ended.then(() => reject(new Error(`The command ended without showing ${pattern}:\n${shown}`)))
      }),
  }
}
