import type { RoutineRow } from '../views/routines.ts'

/** What may be typed next where a version waits for approval. */
export const nextAfter = ({ status }: RoutineRow): string | undefined =>
  status === 'proposed' ? 'routines approve {name}' : undefined
