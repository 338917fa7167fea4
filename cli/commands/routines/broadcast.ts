import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'
import { payloadFlags, payloadIn } from '../../routines/inputs.ts'

export default class RoutinesBroadcast extends ApiCommand<typeof RoutinesBroadcast> {
  static override summary = 'Send an event to all runs of routines that wait for it'
  static override examples = ['$ <%= config.bin %> routines broadcast deploy.done --payload version=1.2']
  static override args = { event: Args.string({ required: true, description: 'type of the event' }) }
  static override flags = payloadFlags

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const sent = await this.api.routines.broadcast({
      workspaceId,
      body: given({ event_type: this.args.event, payload: payloadIn(this.flags) }),
    })
    await this.out.done(`Sent it to ${sent.delivered === 1 ? 'one run' : `${sent.delivered} runs`}.`, sent)
  }
}
