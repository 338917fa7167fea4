/** Runs work of the same name one after the other; work of different names runs at the same time. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const turn = before.then(work, work)
    this.#last.set(name, turn)
    const done = () => this.#last.get(name) === turn && this.#last.delete(name)
    turn.then(done, done)
    return turn
  }
}
