/** Marks the files of a crew, compares them and puts them back, as its one argument asks; answers in JSON. */
import { constants, setPriority } from 'node:os'
import { changes } from './changes.ts'
import { diff } from './diff.ts'
import { GivenUp, Limits } from './limits.ts'
import { mark } from './mark.ts'
import { restore } from './restore.ts'
import { Store } from './store.ts'
import type { Answers, FullRequest } from './wire.ts'

type Answer = Answers[keyof Answers]

function answer(request: FullRequest): Answer {
  const { roots, seconds } = request
  const store = new Store(request.store)
  const limits = new Limits(seconds, null)
  switch (request.op) {
    case 'mark':
      return marking(store, request)
    case 'prune':
      store.prune(new Set(request.keep), true)
      return {}
    case 'changes':
      return changes(store.read(request.id), roots, request.limit, limits)
    case 'diff':
      return diff(store, store.read(request.id), roots, request.path)
    case 'restore': {
      const marked = store.read(request.id)
      const done = restore(store, marked, roots, limits)
      const { added, changed, deleted } = changes(marked, roots, 0, new Limits(seconds, null))
      return { ...done, left: added + changed + deleted }
    }
  }
}

function marking(store: Store, { id, keep, roots, seconds, ...room }: FullRequest & { op: 'mark' }): Answer {
  store.prune(new Set(keep), false)
  try {
    return mark(store, id, roots, new Limits(seconds, { ...room, store: store.folder }, store.size()))
  } catch (error) {
    dropRest(store, keep)
    throw error
  }
}

/** Drops what a mark that failed stored so far. Why it failed is said, also where nothing can be dropped. */
function dropRest(store: Store, keep: readonly string[]): void {
  try {
    store.prune(new Set(keep), true)
  } catch {}
}

function said(work: () => Answer): object {
  try {
    return { answer: work() }
  } catch (error) {
    if (error instanceof GivenUp) return { refused: error.message }
    if (/^(ENOSPC|EDQUOT)$/.test(String((error as NodeJS.ErrnoException).code))) return { refused: 'the disk is full' }
    throw error
  }
}

setPriority(constants.priority.PRIORITY_LOW)
process.stdout.write(`${JSON.stringify(said(() => answer(JSON.parse(process.argv[2]!) as FullRequest)))}\n`)
