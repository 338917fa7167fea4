import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { InputError } from '../../input.ts'

const time = (description: string) => Flags.string({ helpValue: 'HH:MM', description: `${description}; none for none` })
const orNull = (given: string | undefined) => (given === 'none' ? null : given)

export default class PreferencesSetHours extends ApiCommand<typeof PreferencesSetHours> {
  static override summary = 'Set your quiet hours, and when you get what waited'
  static override examples = [
    '$ <%= config.bin %> preferences set-hours --quiet-from 22:00 --quiet-until 07:00 --time-zone Europe/Berlin',
    '$ <%= config.bin %> preferences set-hours --digest-at 08:30',
    '$ <%= config.bin %> preferences set-hours --quiet-from none --quiet-until none',
  ]
  static override flags = {
    'time-zone': Flags.string({ helpValue: 'ZONE', description: 'time zone such as Europe/Berlin; UTC at first' }),
    'quiet-from': time('when quiet hours begin'),
    'quiet-until': time('when they end'),
    'digest-at': time('when what is not urgent comes in one message, each day'),
    'urgent-waits': Flags.boolean({ allowNo: true, description: 'approvals and escalations wait too' }),
  }

  async run(): Promise<void> {
    const { flags } = this
    const body = {
      time_zone: flags['time-zone'],
      quiet_from: orNull(flags['quiet-from']),
      quiet_until: orNull(flags['quiet-until']),
      digest_at: orNull(flags['digest-at']),
      urgent_waits: flags['urgent-waits'],
    }
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
    if (!Object.keys(given).length)
      throw new InputError('Give --quiet-from with --quiet-until, or another flag.', 'muster preferences hours')
    const reply = await this.api.preferences.setHours({ body: given })
    await this.out.done('Stored when you are left in peace.', reply)
  }
}
