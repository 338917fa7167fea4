const minute = 60_000

/** Milliseconds to wait for work on the files of a crew, which is done one after the other. */
export const patience = {
  mark: { timeout: 30 * minute },
  changes: { timeout: 30 * minute },
  rewind: { timeout: 120 * minute },
}
