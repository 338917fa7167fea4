/** What each noun is about. */
export const topics: Readonly<Record<string, string>> = {
  account: 'Your own name, picture, password and data',
  'account:2fa': 'The second factor: codes of an authenticator app',
  admin: 'The server on this machine: accounts, with no daemon running',
  agents: 'Agents: the members of crews who do the work',
  approvals: 'What takes effect only when people approve it',
  chats: 'Conversations with agents',
  contexts: 'Servers that this command knows, and their tokens',
  config: 'Settings, and where each comes from',
  credentials: 'The vault: keys and secrets for agents',
  crews: 'Crews: agents that share a container',
  escalations: 'What agents ask people: answer, withdraw',
  inbox: 'What waits for people: questions, approvals, news',
  invitations: 'Invitations into workspaces: sent, and your own',
  journal: 'Everything that happened, in order',
  limits: 'Limits of the whole server: requests a minute, lockout',
  members: 'Who belongs to the workspace, and their roles',
  onboarding: 'Whether you have been shown around, for clients',
  pairing: 'Pairing codes, for scripts; people use pair and login',
  policies: 'How much each crew may do without asking',
  ports: 'Ports of crews, open by URL for a while',
  preferences: 'What your clients remember for you',
  runs: 'Runs: one piece of work of one agent',
  sessions: 'Browsers where you are signed in',
  sockets: 'Tokens for live connections, for scripts',
  system: 'The daemon: version, health, interface',
  tokens: 'Tokens of this account for the command line',
  waitpoints: 'Work that waits for people',
  workspaces: 'Workspaces and who may do what in them',
}

/** Where commands and nouns stand in the overview. What is not named here comes last. */
export const groups: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['start', ['up', 'init', 'login', 'pair', 'status', 'doctor', 'down']],
  [
    'work',
    ['chat', 'ask', 'inbox', 'approve', 'deny', 'escalations', 'approvals', 'crews', 'agents', 'chats', 'runs', 'journal', 'policies', 'ports', 'credentials'],
  ],
  ['account', ['whoami', 'signup', 'account', 'workspaces', 'members', 'invitations', 'tokens', 'sessions', 'contexts', 'logout']],
  ['more', ['admin', 'api', 'config', 'completion', 'limits', 'waitpoints', 'preferences', 'onboarding', 'system', 'pairing', 'sockets', 'version']],
]
