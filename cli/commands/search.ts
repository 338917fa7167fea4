import ChatsSearch from './chats/search.ts'

export default class Search extends ChatsSearch {
  static override examples = [
    '$ <%= config.bin %> search "rate limit"',
    '$ <%= config.bin %> search deadlock --agent ada',
    '$ <%= config.bin %> search "disk full" --crew backend --limit 5',
  ]
}
