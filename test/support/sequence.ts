import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that wait for containers take turns with those that keep a processor busy, so that neither all workers wait at
 * the same time nor all compete.
 */
export default class Sequence extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const of = (name: string) => sorted.filter(({ project }) => project.name === name)
    const [waiting, busy] = [of('containers'), of('processes')]
    const turns = Array.from({ length: Math.max(waiting.length, busy.length) }, (_, n) => [waiting[n], busy[n]])
    const mixed = turns.flat().filter((it) => it !== undefined)
    return [...mixed, ...sorted.filter((it) => !mixed.includes(it))]
  }
}
