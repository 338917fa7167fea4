import { problem } from '#kernel/problem'

/** A variable's name as asked for: ASCII before folding, because some letters of other scripts turn into ASCII ones. */
export function variableName(given: string): string {
  const refuse = (detail: string) => problem('invalid_field', { field: 'env_var_name', detail })
  const name = /^[A-Za-z0-9_-]{1,128}$/.test(given) ? given.toUpperCase().replaceAll('-', '_') : ''
  if (!/^[A-Z_]/.test(name))
    throw refuse('env_var_name must have A-Z, 0-9 and _, at most 128 of them, and must not begin with a digit')
  if (name.startsWith('SVC_')) throw refuse('Names that begin with SVC_ are reserved')
  return name
}

/** The variable that a crew's credential goes by: its name in the letters that variables have. */
export function variableOfName(name: string): string {
  const upper = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase()
    .slice(0, 128)
  return /^[A-Z]/.test(upper) && !upper.startsWith('SVC_') ? upper : `_${upper}`.slice(0, 128)
}
