/** Whether agents may use a tool: `off` people said no, `held` people have to look at it first. */
export const toolStates = ['allowed', 'off', 'held'] as const
export type ToolState = (typeof toolStates)[number]

/** Names that people can tell apart by looking at them. */
export const toolName = /^[A-Za-z0-9_./-]{1,128}$/
/** Characters of a description. */
export const mostToolDescription = 16_384
/** Bytes of all that is said of a tool. */
export const mostToolSchema = 65_536
