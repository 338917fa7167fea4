import { Flags } from '@oclif/core'
import { notificationCategories } from '#client/words'
import { channelId } from '../../channels/flags.ts'
import { ApiCommand } from '../../command.ts'
import { InputError } from '../../input.ts'

const named = ['all', ...notificationCategories] as const
const expand = (words: readonly string[]) => (words.includes('all') ? [...notificationCategories] : words)

export default class PreferencesSetNotifications extends ApiCommand<typeof PreferencesSetNotifications> {
  static override summary = 'Choose what you want through a channel'
  static override examples = [
    '$ <%= config.bin %> preferences set-notifications --channel slack --on agents.approval --on agents.escalation',
    '$ <%= config.bin %> preferences set-notifications --channel email --on all --off issues.state',
    '$ <%= config.bin %> preferences set-notifications --channel email --mute',
  ]
  static override flags = {
    channel: Flags.string({ required: true, description: 'channel, as `muster channels` shows it, or its service' }),
    on: Flags.option({ options: named, multiple: true, description: 'a category that you want; may be repeated' })(),
    off: Flags.option({ options: named, multiple: true, description: 'one that you do not want; may be repeated' })(),
    mute: Flags.boolean({ description: 'nothing at all for now; what is on stays so', exclusive: ['unmute'] }),
    unmute: Flags.boolean({ description: 'what is on again', exclusive: ['mute'] }),
  }

  async run(): Promise<void> {
    const { channel, on = [], off = [], mute, unmute } = this.flags
    if (!on.length && !off.length && !mute && !unmute)
      throw new InputError('Give --on, --off, --mute or --unmute.', 'muster preferences notifications')
    const wanted = new Map<string, 'off' | 'immediate'>()
    for (const category of expand(on)) wanted.set(category, 'immediate')
    for (const category of expand(off)) wanted.set(category, 'off')
    if (mute || unmute) wanted.set('*', mute ? 'immediate' : 'off')
    const channel_id = await channelId(this.api, channel)
    const cells = [...wanted].map(([category, state]) => ({ category, channel_id, state }))
    const reply = await this.api.preferences.setNotifications({ body: { cells: cells as never } })
    await this.out.done(`Stored what you want through ${channel}.`, reply)
  }
}
