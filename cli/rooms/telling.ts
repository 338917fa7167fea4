import type { Page } from '../chat/page.ts'
import { renderMarkdown } from '../markdown/render.ts'
import { displayable, span } from '../markdown/rows.ts'
import { shorten } from '../output/width.ts'
import type { RoomWords } from './past.ts'

/** Shows messages of a room: others' under their names, one's own as they were typed, notices dimmed. */
export function tellWords(messages: readonly RoomWords[], page: Page, me: string): void {
  for (const { kind, author_type, author_id, author_name, content } of messages)
    if (kind === 'notice') page.note(displayable(content))
    else if (author_id === me) page.said(content)
    else {
      const tone = author_type === 'agent' ? 'green' : 'cyan'
      const name = shorten(displayable(author_name ?? 'Somebody').replaceAll('\n', ' '), page.width)
      page.commit('text', [[span(name, tone)], ...renderMarkdown(content, page.width)])
    }
}
