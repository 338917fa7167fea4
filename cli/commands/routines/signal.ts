import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'
import { payloadFlags, payloadIn } from '../../routines/inputs.ts'

export default class RoutinesSignal extends ApiCommand<typeof RoutinesSignal> {
  static override summary = 'Send an event to a run of a routine'
  static override aliases = ['signal']
  static override examples = [
    '$ <%= config.bin %> routines signal 3fk2p8qz build.done',
    '$ <%= config.bin %> routines signal 3fk2p8qz build.done --payload tag=v1',
  ]
  static override args = {
    'routine-run': Args.string({ required: true, description: 'id of the run, or part of it' }),
    event: Args.string({ required: true, description: 'type of the event' }),
  }
  static override flags = payloadFlags

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const sent = await this.api.routines.signal({
      workspaceId,
      routineRunId: this.args['routine-run'],
      body: given({ event_type: this.args.event, payload: payloadIn(this.flags) }),
    })
    await this.out.done(
      sent.kept ? 'Sent it: the run keeps it until it waits for it.' : 'Sent it: the run goes on.',
      sent,
    )
  }
}
