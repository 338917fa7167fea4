interface Argument {
  name: string
  required?: boolean | undefined
}

/** Arguments as a usage line has them: `CREW [NAME]`, with dots where any number may be given. */
export function argumentsOf(args: readonly Argument[], strict = true): string {
  const words = args.map(({ name, required }) => {
    const shown = `${name.toUpperCase()}${strict ? '' : '...'}`
    return required ? shown : `[${shown}]`
  })
  return words.join(' ')
}
