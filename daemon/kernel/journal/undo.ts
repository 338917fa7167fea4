/** Rolls memory back together with the database. */
export interface UndoLog {
  /** Adds the step that undoes what was just done in memory. */
  push(step: () => void): void
  /** Marks the beginning of a change. */
  mark(): void
  /** Undoes everything since the mark. */
  rewind(): void
  /** Undoes everything that is not stored. */
  forget(): void
  /** Clears the log once everything is stored. */
  settle(): void
}

export function createUndoLog(): UndoLog {
  let steps: (() => void)[] = []
  let from = 0
  const backTo = (length: number) => {
    while (steps.length > length) steps.pop()!()
  }
  return {
    push: (step) => void steps.push(step),
    mark: () => {
      from = steps.length
    },
    rewind: () => backTo(from),
    forget: () => {
      from = 0
      backTo(0)
    },
    settle: () => {
      steps = []
      from = 0
    },
  }
}
