import type { ServerProgram } from './types.ts'

/** The folder of a server's program: what is only tried, or restricted, has one of its own. */
export const folderFor = ({ serverId, trial, restricted }: ServerProgram): string =>
  trial ? `try-${serverId}` : restricted ? `strict-${serverId}` : serverId
