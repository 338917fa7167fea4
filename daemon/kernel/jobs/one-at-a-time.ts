/** Work that is never done twice at the same time: asked for while it is under way, it is done once more afterwards. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let working = false
  let asked = false
  return async () => {
    asked = true
    if (working) return
    working = true
    try {
      while (asked) {
        asked = false
        await work()
      }
    } finally {
      working = false
    }
  }
}
