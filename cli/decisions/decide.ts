import { type Client, ProblemError } from '#client'
import { bareId } from './ids.ts'

interface Decided {
  sentence: string
  reply: object
}

/**
 * Approves or denies whatever an id stands for: an approval, a question of an agent, waiting work, or the inbox item of
 * one of them.
 */
export async function decide(
  api: Client,
  workspaceId: string,
  id: string,
  { approved, comment }: { approved: boolean; comment?: string },
): Promise<Decided> {
  const done = approved ? 'Approved.' : 'Denied.'
  const said = comment ? { comment } : {}

  const answer = async (escalationId: string): Promise<Decided> => {
    const body = { resolution: comment ?? done, action: approved ? ('approve' as const) : ('reject' as const) }
    const reply = await api.escalations.resolve({ escalationId, body })
    return { sentence: `${done} ${reply.note ?? 'The agent goes on.'}`, reply }
  }
  const settle = async (approvalId: string): Promise<Decided> => ({
    sentence: done,
    reply: await api.approvals.decide({ approvalId, body: { status: approved ? 'approved' : 'denied', ...said } }),
  })
  const letGo = async (token: string): Promise<Decided> => ({
    sentence: done,
    reply: await api.waitpoints.approve({ workspaceId, token, body: { approved, ...said } }),
  })

  if (id.startsWith('ibx_escalation_')) return answer(bareId(id))
  if (id.startsWith('ibx_waitpoint_')) {
    const { payload = {} } = await api.inbox.show({ itemId: id })
    return typeof payload['approval_id'] === 'string' ? settle(payload['approval_id']) : letGo(bareId(id))
  }
  // Looked up first: answering a question takes another role than deciding an approval.
  if (await exists(api.approvals.show({ approvalId: id }))) return settle(id)
  if (await exists(api.escalations.show({ escalationId: id }))) return answer(id)
  return letGo(id)
}

async function exists(read: Promise<unknown>): Promise<boolean> {
  try {
    await read
    return true
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === 'not_found') return false
    throw error
  }
}
