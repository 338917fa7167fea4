import type { LogFrame, RunFrame } from '#contract/frames'
import { toolLine } from '../chat/plain-output.ts'
import { Turn, type TurnEvent } from '../chat/turn.ts'
import { clean, cleanLine } from '../output/clean.ts'
import { shellWord } from '../output/shell-word.ts'
import type { Paint } from '../output/theme.ts'

/** A run's log as lines for people: text as it was said, a line for each tool, what it was asked behind ">". */
export class LogLines {
  private readonly paint: Paint
  private turn = new Turn()
  /** The line that has not ended yet. */
  private rest = ''

  constructor(paint: Paint) {
    this.paint = paint
  }

  take(frame: LogFrame): string[] {
    if (frame.type === 'stream.end') return this.flush()
    if (frame.type === 'stream.reset')
      return [...this.flush(), this.paint('yellow', '… some of it is not held any more')]
    if (frame.type === 'stream.open' || frame.type === 'stream.heartbeat') return []
    return this.turn.take(frame as RunFrame, 'ts' in frame).flatMap((event) => this.tell(event))
  }

  private tell(event: TurnEvent): string[] {
    if (event.type === 'text') return this.say(event.text, event.fresh)
    const lines = this.flush()
    if (event.type === 'user')
      lines.push(
        ...clean(event.text)
          .split('\n')
          .map((line) => this.paint('bold', `> ${line}`)),
      )
    else if (event.type === 'result') lines.push(toolLine(event.tool, this.paint))
    else if (event.type === 'status') lines.push(this.paint('dim', `• ${cleanLine(event.text)}`))
    else if (event.type === 'error') lines.push(this.paint('red', `✗ ${cleanLine(event.text)}`))
    else if (event.type === 'done') lines.push(...this.end())
    return lines
  }

  private say(text: string, fresh: boolean): string[] {
    const before = fresh ? this.flush() : []
    const lines = (this.rest + clean(text)).split('\n')
    this.rest = lines.pop()!
    return [...before, ...lines]
  }

  /** A program is over; another may follow. */
  private end(): string[] {
    const { tools, waitsFor } = this.turn
    this.turn = new Turn()
    const unfinished = [...tools.values()].filter(({ status }) => status === 'unfinished')
    return [
      ...unfinished.map((tool) => toolLine(tool, this.paint)),
      ...(waitsFor
        ? [this.paint('yellow', `• Waits for a person: muster inbox show ${shellWord(cleanLine(waitsFor))}`)]
        : []),
    ]
  }

  private flush(): string[] {
    const left = this.rest === '' ? [] : [this.rest]
    this.rest = ''
    return left
  }
}
