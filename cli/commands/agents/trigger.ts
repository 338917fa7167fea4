import { createHmac } from 'node:crypto'
import { Args, Flags } from '@oclif/core'
import { locate } from '#client'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { fileOr, jsonIn } from '../../input.ts'
import { agentId } from '../../lookup.ts'
import { storedSecret } from '../../webhooks/target.ts'

export default class AgentsTrigger extends ApiCommand<typeof AgentsTrigger> {
  static override summary = 'Call an agent as a webhook does'
  static override description =
    'Sends a signed call to the webhook of an agent, which begins to work on it. ' +
    '`muster agents rotate-webhook-secret` makes the secret.'
  static override examples = [
    '$ <%= config.bin %> agents trigger ada --secret-file secret.txt --event push',
    '$ <%= config.bin %> agents trigger ada --secret-file secret.txt --event alert --source monitor --data @alert.json',
  ]
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = {
    'secret-file': Flags.string({
      required: true,
      helpValue: 'FILE',
      description: 'sign with the secret in this file, or on standard input with -',
    }),
    event: Flags.string({ description: 'what has happened, such as push' }),
    source: Flags.string({ description: 'where it has happened' }),
    data: Flags.string({ helpValue: 'JSON|@FILE', description: 'more about it, as JSON' }),
  }

  async run(): Promise<void> {
    const { 'secret-file': secretFile, event, source, data } = this.flags
    const agent = await this.api.agents.show({ agentId: await agentId(this.api, this.args.agent) })
    const body = given({ event, source, data: data === undefined ? undefined : jsonIn('data', fileOr(data)) })
    const secret = await storedSecret(secretFile)
    const stamp = String(Math.floor(Date.now() / 1000))
    const signature = createHmac('sha256', secret)
      .update(`${stamp}.${JSON.stringify(body)}`)
      .digest('hex')
    const { method, path } = locate('agents.trigger', { crewId: agent.crew_id ?? '-', agentId: agent.id })
    const headers = { 'x-signature': signature, 'x-timestamp': stamp }
    const reply = await this.connection.request(method, path, { body, headers })
    await this.out.done(`Agent ${agent.slug} took the call.`, JSON.parse(String(reply.body)))
  }
}
