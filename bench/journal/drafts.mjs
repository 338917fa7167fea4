// Journal entries as crews write them, the same for the same seed: 20 crews of 6 agents, runs of 20 to 180 entries, 690
// bytes each.

export function random(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const syllables =
  'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu za bri cro dra fle gri kla pro sta tre'.split(' ')
const letters = random(42)

/** 20,000 words, the commonest first. */
export const vocabulary = Array.from({ length: 20_000 }, (_, n) => {
  const length = 2 + Math.floor(letters() * 3)
  return Array.from({ length }, () => syllables[Math.floor(letters() * syllables.length)]).join('') + (n % 7 ? '' : n)
})

export const crews = Array.from({ length: 20 }, (_, n) => `ccrew${String(n).padStart(20, '0')}`)
export const agents = Array.from({ length: 120 }, (_, n) => `cagent${String(n).padStart(19, '0')}`)
export const types = [
  'exec.command',
  'network.egress',
  'chat.agent_response',
  'agent.status_change',
  'chat.user_message',
  'provisioning.step',
  'run.session_init',
  'conversation.compacted',
  'container.started',
  'agent.error',
]
/** A function that gives one draft after another. */
export function draftsOf(seed, workspace) {
  const next = random(seed)
  const upTo = (n) => Math.floor(next() * n)
  const word = () => vocabulary[Math.min(19_999, Math.floor(Math.exp(next() * Math.log(20_000))) - 1)]
  const words = (n) => Array.from({ length: n }, word).join(' ')
  const runs = Array.from({ length: 50 }, () => null)
  let made = 0

  function begin(slot) {
    const crew = Math.floor(next() * next() * 20)
    runs[slot] = { id: `r${seed}x${++made}`, crew, agent: crew * 6 + upTo(6), left: 20 + upTo(160) }
    return {
      type: 'run.started',
      payload: {
        trigger_type: upTo(4) ? 'USER' : 'CRON',
        chat_id: `c${made}`,
        metadata: { tags: [`tag${upTo(9)}`], model: word() },
      },
    }
  }

  function happen() {
    const severities = { 'agent.error': ['error', 'warn'] }
    const type = types[Math.floor(next() * next() * 10)]
    const payload = {
      tool: word(),
      args: { path: `/${words(3).replaceAll(' ', '/')}`, query: words(6) },
      text: words(26),
      tokens: { in: upTo(4000), out: upTo(900) },
      ms: upTo(9000),
    }
    return {
      type,
      severity: (severities[type] ?? [
        'info',
        'info',
        'info',
        'info',
        'info',
        'info',
        'notice',
        'notice',
        'warn',
        'error',
      ])[upTo(severities[type] ? 2 : 10)],
      payload,
    }
  }

  return () => {
    const slot = upTo(50)
    const run = runs[slot]
    const what = !run
      ? begin(slot)
      : run.left-- > 0
        ? happen()
        : { type: upTo(8) ? 'run.completed' : 'run.failed', payload: { exit_code: 0 } }
    const { id, crew, agent } = runs[slot]
    if (run && run.left < 0) runs[slot] = null
    return {
      workspace_id: workspace,
      crew_id: crews[crew],
      agent_id: agents[agent],
      actor_type: 'agent',
      actor_id: agents[agent],
      trace_id: id,
      summary: words(8),
      severity: what.type === 'run.failed' ? 'error' : 'info',
      ...what,
    }
  }
}
