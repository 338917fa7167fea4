import { InputError } from './input.ts'

/**
 * The command line that an alias stands for. `$1` to `$9` take an argument each, `$@` takes the others, which otherwise
 * follow at the end.
 */
export function expandAlias(text: string, args: readonly string[]): string[] {
  const taken = new Set<number>()
  const words = wordsOf(text).flatMap((word) => {
    if (word === '$@') {
      const rest = args.filter((_, at) => !taken.has(at))
      for (const [at] of args.entries()) taken.add(at)
      return rest
    }
    return [
      word.replace(/\$([1-9])/g, (_, digit: string) => {
        const at = Number(digit) - 1
        if (args[at] === undefined) throw new InputError(`The alias "${text}" needs ${at + 1} arguments.`)
        taken.add(at)
        return args[at]
      }),
    ]
  })
  return [...words, ...args.filter((_, at) => !taken.has(at))]
}

/** Splits a command line at blanks; quotation marks keep what they enclose together. */
export function wordsOf(text: string): string[] {
  if (/["']/.test(text.replace(/"[^"]*"|'[^']*'/g, ''))) throw new InputError(`A quotation mark is open: ${text}`)
  const words = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single))
}
