/** Steps that put memory back to where the database goes back to. */
export interface UndoLog {
  /** Notes how to take back what was just done in memory. */
  push(step: () => void): void
  /** The next change begins here. */
  mark(): void
  /** Takes back everything since the mark. */
  rewind(): void
  /** Takes back everything that is not stored yet. */
  forget(): void
  /** Everything is stored: there is nothing left to take back. */
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
