const features = (...names) => names.map((name) => `test/daemon/features/${name}.test.ts`)
const sidecar = (...names) => names.map((name) => `test/daemon/runtime/sidecar/${name}.test.ts`)

/**
 * What is mutated, and the tests that should notice: a path is a file or a folder with all its files; of several that
 * fit, the longest counts. Tests run in the process of the runner, so none that start a built program are named here.
 */
export const areas = {
  auth: {
    'daemon/kernel/auth': ['test/daemon/kernel/auth', ...features('tokens', 'sessions', 'accounts')],
    'daemon/kernel/auth/passwords.ts': ['test/daemon/kernel/auth/passwords.test.ts'],
    'daemon/kernel/auth/common-passwords.ts': ['test/daemon/kernel/auth/common-passwords.test.ts'],
    'daemon/kernel/auth/internal.ts': ['test/daemon/kernel/auth/internal.test.ts'],
    'daemon/kernel/auth/sessions.ts': [
      'test/daemon/kernel/auth/authenticator.test.ts',
      ...features('sessions', 'totp'),
    ],
    'daemon/kernel/auth/identity-provider.ts': features('idp/provider', 'idp/sign-in'),
    'daemon/kernel/http/origin.ts': ['test/daemon/kernel/http/origin.test.ts'],
    'daemon/kernel/limits': ['test/daemon/kernel/limits'],
  },
  tenancy: {
    'daemon/kernel/auth/membership.ts': [
      'test/daemon/kernel/auth/home.test.ts',
      'test/contract/workspace.test.ts',
      ...features('workspaces', 'totp', 'members'),
    ],
    'daemon/kernel/auth/home.ts': ['test/daemon/kernel/auth/home.test.ts'],
    'daemon/kernel/auth/standing.ts': ['test/daemon/kernel/auth/standing.test.ts'],
    'daemon/kernel/dispatch.ts': ['test/daemon/kernel/dispatch.test.ts', ...features('members', 'replies')],
    'daemon/features/members': features('members', 'members/endings', 'members/capabilities', 'provisioning'),
    'daemon/features/crews': features('crews', 'crews/containers', 'crews/members', 'crews/roles', 'workspace-changes'),
  },
  decisions: {
    'daemon/features/decisions': features('decisions', 'approvals', 'waitpoints'),
    'daemon/features/decisions/service.ts': features('decisions', 'approvals', 'waitpoints', 'escalations'),
    'daemon/features/approvals': features('approvals', 'inbox'),
    'daemon/features/waitpoints': features('waitpoints', 'inbox'),
    'daemon/features/escalations': features('escalations', 'autonomy', 'inbox'),
    'daemon/features/inbox': features('inbox', 'escalations', 'members'),
    'daemon/features/asks': features('asks'),
  },
  runs: {
    'daemon/runtime/runs': ['test/daemon/runtime/runs.test.ts', 'test/daemon/runtime/runs-of-any-source.test.ts'],
    'daemon/runtime/runs/output.ts': ['test/daemon/runtime/output.test.ts'],
    'daemon/runtime/runs/live-stream.ts': ['test/daemon/runtime/output.test.ts'],
    'daemon/runtime/runs/slots.ts': ['test/daemon/runtime/output.test.ts'],
    'daemon/runtime/runs/transcript.ts': ['test/daemon/runtime/output.test.ts'],
    'daemon/runtime/runs/kept-parts.ts': ['test/daemon/runtime/output.test.ts'],
    'daemon/features/runs': [...features('runs', 'runs-by-id', 'runs-end'), 'test/daemon/runtime/runs.test.ts'],
    'daemon/features/runs/endings/service.ts': features('runs/endings', 'runs-end'),
    'daemon/runtime/adapters/verdict.ts': ['test/daemon/runtime/adapters'],
    'daemon/runtime/adapters/lines.ts': ['test/daemon/runtime/adapters/parser.test.ts'],
  },
  journal: {
    'daemon/kernel/facts.ts': ['test/daemon/kernel/facts.test.ts'],
    'daemon/kernel/journal': ['test/daemon/kernel/journal', ...features('journal')],
    'daemon/kernel/journal/chain.ts': ['test/daemon/kernel/journal/chain.test.ts'],
    'daemon/kernel/journal/seal.ts': ['test/daemon/kernel/journal/seal.test.ts'],
  },
  secrets: {
    'daemon/kernel/store/vault.ts': ['test/daemon/kernel/store/vault.test.ts'],
    'daemon/kernel/agents': ['test/daemon/kernel/agents', 'test/contract/agent-secrets.test.ts'],
    'daemon/runtime/adapters/scrub.ts': ['test/daemon/runtime/adapters/scrub.test.ts'],
    'daemon/runtime/adapters/secret-search.ts': ['test/daemon/runtime/adapters/scrub.test.ts'],
    'daemon/runtime/adapters/offers.ts': ['test/daemon/runtime/adapters/offers.test.ts'],
    'daemon/runtime/adapters/parser.ts': ['test/daemon/runtime/adapters/parser.test.ts'],
    'daemon/features/credentials': ['test/daemon/features/credentials', ...features('credentials')],
  },
  egress: {
    'daemon/kernel/outbound/addresses.ts': ['test/daemon/kernel/outbound/addresses.test.ts'],
    'daemon/kernel/outbound': ['test/daemon/kernel/outbound'],
    'daemon/runtime/sidecar': ['test/daemon/runtime/sidecar'],
    'daemon/runtime/sidecar/policy.ts': sidecar('policy'),
    'daemon/runtime/sidecar/target.ts': sidecar('target'),
    'daemon/runtime/sidecar/client-hello.ts': sidecar('client-hello'),
    'daemon/runtime/sidecar/framing.ts': sidecar('framing'),
    'daemon/runtime/sidecar/body.ts': sidecar('body'),
    'daemon/runtime/sidecar/config.ts': sidecar('config'),
    'daemon/runtime/sidecar/wildcard-names.ts': sidecar('wildcard-names'),
  },
}
