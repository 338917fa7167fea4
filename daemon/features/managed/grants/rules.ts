import type { GrantMode, managed } from '#contract/managed'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'

/** What is asked for of one toolkit. */
export interface Wanted {
  toolkit: string
  mode: GrantMode
  /** Those that are named, in mode custom. */
  tools: readonly string[]
  /** The member that a refusal names. */
  field: string
}

const refuse = (field: string, detail: string) => problem('invalid_field', { field, detail })

/** What a body asks for; null: all that is connected. An empty list is nothing. */
export function wantedIn({ apps, toolkits }: Call<typeof managed.grant>['body']): Wanted[] | null {
  const given =
    apps?.map(({ toolkit, tools, mode = tools ? 'custom' : 'full' }, index) => ({
      toolkit: toolkit.toLowerCase(),
      mode,
      tools: tools ?? [],
      field: `apps.${index}`,
    })) ??
    toolkits?.map((toolkit, index) => ({
      toolkit: toolkit.toLowerCase(),
      mode: 'full' as const,
      tools: [],
      field: `toolkits.${index}`,
    }))
  if (!given) return null
  for (const [index, { toolkit, mode, tools, field }] of given.entries()) {
    if (given.findIndex((it) => it.toolkit === toolkit) !== index) throw refuse(field, `${toolkit} is named twice`)
    if (mode === 'custom' && !tools.length) throw refuse(`${field}.tools`, 'Mode custom needs the tools')
    if (mode !== 'custom' && tools.length) throw refuse(`${field}.tools`, 'Tools are named in mode custom alone')
  }
  return given
}

const reading = /^(?:GET|LIST|FETCH|SEARCH|READ|FIND|DOWNLOAD|EXPORT|RETRIEVE|COUNT|CHECK|VIEW)$/
const writing = new RegExp(
  `^(?:${[
    'ADD|APPLY|APPROVE|ARCHIVE|ASSIGN|BAN|BATCH|BLOCK|BULK|CANCEL|CLEAR|CLOSE|COMMENT|COMPLETE|COPY|CREATE|DEACTIVATE',
    'DELETE|DISABLE|DUPLICATE|EDIT|EMPTY|ENABLE|EXECUTE|FOLLOW|FORK|FORWARD|GRANT|IMPORT|INSERT|INVITE|JOIN|KICK|LEAVE',
    'LOCK|MARK|MERGE|MODIFY|MOVE|MUTE|PATCH|PIN|POST|PUBLISH|PURGE|PUT|REACT|REMOVE|RENAME|REPLACE|REPLY|REPORT|RESET',
    'RESTORE|REVOKE|RUN|SAVE|SCHEDULE|SEND|SET|SHARE|STAR|START|STOP|SUBMIT|SUBSCRIBE|SYNC|TRANSFER|TRASH|TRIGGER',
    'UNLOCK|UNSTAR|UNSUBSCRIBE|UPDATE|UPLOAD|UPSERT|WRITE',
  ].join('|')})$`,
)

/** Whether a tool only reads, by the words of its slug. */
export function onlyReads(slug: string): boolean {
  const words = slug.toUpperCase().split(/[^A-Z]+/)
  return words.some((word) => reading.test(word)) && !words.some((word) => writing.test(word))
}

/** The tools of a toolkit that are given; null for all of them. */
export function toolsGiven({ toolkit, mode, tools, field }: Wanted, known: readonly string[]): string[] | null {
  if (mode === 'full') return null
  const given = mode === 'read' ? known.filter(onlyReads) : known.filter((slug) => tools.includes(slug))
  if (!given.length)
    throw refuse(
      mode === 'read' ? `${field}.mode` : `${field}.tools`,
      mode === 'read' ? `No tool of ${toolkit} only reads` : `${toolkit} has none of these tools`,
    )
  return given.sort()
}
