import type { App } from '#kernel/app'
import { chunksOf } from './chunks.ts'
import { queries } from './queries.ts'

interface Indexed {
  number: number
  workspace_id: string
  owner_id: string
  name: string
}

/** Makes the words of a file those that it is found by. A persona is not searched: it is in every prompt. */
export function indexFile({ db }: App, { number, workspace_id, owner_id, name }: Indexed, content: string): void {
  if (name === 'PERSONA.md') return
  const { drop, add, words } = queries(db)
  drop.run(number)
  for (const { line, text } of chunksOf(content))
    words.run(add.get(number, line, text)!.number, text, `${workspace_id} ${owner_id}`)
}
