import { spawn } from 'node:child_process'
import { shorten } from '../output/width.ts'
import { noticeOf, noticeWidth } from './alerts.ts'
import type { Item } from './decisions.ts'

type Env = Readonly<Record<string, string | undefined>>

const commas = (text: string): string => text.replaceAll(';', ',')

/** Whether a terminal takes notices by OSC 777: rxvt, foot, and those built on VTE. Others know OSC 9, or nothing. */
export const knows777 = ({ TERM = '', VTE_VERSION }: Env): boolean => Boolean(VTE_VERSION) || /^(rxvt|foot)/.test(TERM)

/** A notice as the terminal shows it on the desktop. */
export function terminalNotice(text: string, env: Env): string {
  const said = commas(shorten(text, noticeWidth))
  return knows777(env) ? `\u001b]777;notify;Muster;${said}\u001b\\` : `\u001b]9;${said}\u0007`
}

const sendMs = 5000

/** Notices by `notify-send`, one after the other; those that come meanwhile are told of by their number. */
export class NotifySend {
  private busy = false
  private more = 0
  private isThere = true

  show(item: Item): void {
    if (this.busy) this.more++
    else this.send(shorten(noticeOf(item), noticeWidth), item.priority === 'urgent')
  }

  // The words are one argument behind `--`: no options, and no shell reads them. A summary has no markup.
  private send(text: string, urgent: boolean): void {
    if (!this.isThere) return
    this.busy = true
    const args = ['--app-name=Muster', `--urgency=${urgent ? 'critical' : 'normal'}`, '--', text || 'Muster']
    const child = spawn('notify-send', args, { stdio: 'ignore', timeout: sendMs, env: process.env })
    child.unref()
    child.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ENOENT') this.isThere = false
      this.next()
    })
    child.once('exit', () => this.next())
  }

  private next(): void {
    const { more } = this
    this.busy = false
    this.more = 0
    if (more) this.send(`${more} more ${more === 1 ? 'item waits' : 'items wait'}: muster inbox`, false)
  }
}
