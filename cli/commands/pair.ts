import { setTimeout as wait } from 'node:timers/promises'
import { Flags } from '@oclif/core'
import { ApiCommand } from '../command.ts'
import { readTarget, webAddress } from '../contexts/session.ts'
import { exits } from '../failure.ts'
import { given } from '../flags.ts'
import { banner } from '../output/banner.ts'
import { timeLeft } from '../output/cell.ts'
import { cleanLine } from '../output/clean.ts'
import { shellWord } from '../output/shell-word.ts'

interface Pairing {
  code: string
  expires_at: string
  command: string
  status: 'pending' | 'consumed' | 'expired'
}

export default class Pair extends ApiCommand<typeof Pair> {
  static override summary = 'Sign in another device with a short code'
  static override description =
    'Creates a single-use code that is valid for ten minutes, shows what to type on the other device, and waits ' +
    'until that is done. Exits with 1 if the code expires unused.'
  static override result = { of: ['pairing.start'], members: ['status'] }
  static override hiddenAliases = ['pairing:start']
  static override examples = [
    '$ <%= config.bin %> pair',
    '$ <%= config.bin %> pair --url https://muster.example.com',
    '$ <%= config.bin %> pair --no-wait',
  ]
  static override flags = {
    url: Flags.string({ description: 'URL under which the other device reaches the server' }),
    hint: Flags.string({ helpValue: 'NAME', description: 'purpose of the device, such as CLAUDE_CODE' }),
    'no-wait': Flags.boolean({ description: 'do not wait until the code is used' }),
  }

  async run(): Promise<void> {
    const { hint } = this.flags
    const started = await this.api.pairing.start({ body: given({ adapter_hint: hint || undefined }) })
    const { expires_at } = started
    const code = cleanLine(started.code)
    const command = `muster login -s ${this.address()} --code ${shellWord(code)}`
    const pairing: Pairing = { code, expires_at, command, status: 'pending' }
    await this.out.item(pairing, this.out.terminal ? await this.instructions(pairing) : code)
    if (this.flags['no-wait']) return
    const status = await this.outcome(pairing)
    if (this.out.wanted.format !== 'auto') await this.out.item({ ...pairing, status }, status)
    if (status === 'consumed') return this.out.done('The device is signed in. Next: muster tokens list')
    this.out.note('The code expired unused. Next: muster pair', 'yellow')
    this.finish(exits.other)
  }

  private address(): string {
    if (this.flags.url) return readTarget(this.flags.url).key
    const { key, host } = webAddress(this.session.target)
    if (/^(localhost|127\.|::1)/.test(host ?? ''))
      this.out.note(`${key} can be reached on this machine only; name another address with --url.`, 'yellow')
    return key
  }

  private async instructions({ code, command, expires_at }: Pairing): Promise<string> {
    const { renderUnicodeCompact } = await import('uqr')
    const qr = renderUnicodeCompact(command, { border: 1 })
    const indent = (text: string) => text.replace(/^/gm, '  ')
    const minutes = Math.ceil((Date.parse(expires_at) - Date.now()) / 60_000)
    return (
      `\n${indent(this.out.paint('bold', banner(code)))}\n\n  ${code}, good for ${minutes} minutes and once. On ` +
      `the other device:\n\n    ${this.out.paint('cyan', command)}\n\n${indent(qr)}\n`
    )
  }

  private async outcome({ code, expires_at }: Pairing): Promise<'consumed' | 'expired'> {
    const left = () =>
      `Waiting for the device, ${timeLeft(Date.parse(expires_at))} left. Ctrl-C leaves; the code stays good.`
    return this.progress(left(), async (say) => {
      const clock = setInterval(() => say(left()), 1000)
      try {
        for (;;) {
          const { status } = await this.api.pairing.poll({ query: { code } })
          if (status !== 'pending') return status
          await wait(2000)
        }
      } finally {
        clearInterval(clock)
      }
    })
  }
}
