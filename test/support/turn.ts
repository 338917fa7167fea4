import { foldersOf, type Turn } from '../../daemon/runtime/adapters/adapter.ts'

const places = {
  home: '/crew/agents/ada',
  output: '/output/ada',
  workspace: '/workspace/ada',
  secrets: '/secrets/ada',
  crewShared: '/crew/shared',
  workspaceShared: '/workspace/shared',
  runs: '/spool/ada',
  sidecarUrl: 'http://127.0.0.1:9119',
}

/** A turn of Ada's in a crew's container, as adapters are given it. */
export const turn: Turn = {
  runId: 'run1',
  crewId: 'crew1',
  chatId: 'chat1',
  agent: { id: 'agent1', slug: 'ada' },
  folders: foldersOf(places, 'run1'),
  provider: 'ANTHROPIC',
  model: 'claude-opus-4-8',
  systemPrompt: 'You are Ada.',
  toolProfile: 'CODING',
  cliTools: null,
  mcpConfigs: [],
  maxTurns: 0,
  unattended: false,
  prompt: 'Build it',
  access: { via: 'sidecar', key: 'dummy-key-of-ada', origin: 'http://127.0.0.1:9119' },
  proxy: 'http://127.0.0.1:9119',
  env: {},
  session: null,
}
