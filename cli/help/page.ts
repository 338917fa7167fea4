import { type Command, CommandHelp } from '@oclif/core'
import { configOf, type Registry } from '../main.ts'
import { colored, painter } from '../output/theme.ts'
import { pad, widthOf } from '../output/width.ts'
import { argumentsOf } from '../usage.ts'
import { pageOf } from './docs.ts'

/** Flags of these groups are shown when all are asked for. */
const rare = ['GLOBAL', 'MORE']
/** As wide as labels may be beside their texts. */
const longLabel = 32
const order = ['EXAMPLES', 'USAGE', 'ARGUMENTS', 'FLAGS', 'DESCRIPTION', 'ALIASES', 'FLAG DESCRIPTIONS']

/** oclif's help of one command: examples first, the usage in one line, the summary in its place alone. */
class Page extends CommandHelp {
  protected override usage(): string {
    return `$ muster ${usageOf(this.command)}`
  }

  protected override description(): string | undefined {
    const { description } = this.command
    return description && this.wrap(description)
  }

  /** A label that is longer than most stands in a line of its own, and leaves the others their room. */
  override renderList(rows: (string | undefined)[][], { indentation }: { indentation: number }): string {
    const widths = rows.map(([label = '']) => widthOf(label)).filter((width) => width <= longLabel)
    const width = Math.max(0, ...widths)
    const lines = rows.flatMap(([label = '', text]) => {
      if (!text) return [label.trimEnd()]
      const [first, ...rest] = this.wrap(text.trim(), indentation + width + 2).split('\n')
      const room = ' '.repeat(width + 2)
      const below = rest.map((line) => room + line.trim())
      return widthOf(label) > width ? [label, room + first, ...below] : [`${pad(label, width)}  ${first}`, ...below]
    })
    return lines.join('\n')
  }

  protected override examples(examples: Command.Example[] | string | undefined): string | undefined {
    return super.examples(examples)?.replaceAll('\n\n', '\n')
  }

  protected override sections() {
    return super.sections().sort((a, b) => order.indexOf(a.header) - order.indexOf(b.header))
  }
}

/** Help of one command: its common flags, or all. */
export function ofCommand(id: string, registry: Registry, all: boolean): string {
  const command = registry.describe(id)
  const flags = Object.entries(command.flags).filter(
    ([, { helpGroup = '', hidden }]) => !hidden && (all || !rare.includes(helpGroup)),
  )
  const shown = { ...command, flags: Object.fromEntries(flags), load: async () => undefined as never }
  const page = new Page(shown, configOf(registry), { maxWidth: Math.min(process.stdout.columns || 80, 110) } as never)
  const paint = painter(colored(process.stdout))
  const name = `muster ${id.replaceAll(':', ' ')}`
  const more = `${paint('bold', 'MORE')}\n  All flags: ${name} --help --all\n  Documentation: ${pageOf(id, registry)}\n`
  return `${command.summary ?? ''}\n\n${page.generate()}\n\n${more}`
}

/** What must be given stands in the usage; what may be is listed below it. */
function usageOf({ id, args, flags, strict }: Command.Cached): string {
  const needed = Object.values(flags).filter((flag) => flag.required)
  const values = needed.map(
    (flag) => `--${flag.name} ${('helpValue' in flag && flag.helpValue) || flag.name.toUpperCase()}`,
  )
  return [id.replaceAll(':', ' '), argumentsOf(Object.values(args), strict), ...values, '[FLAGS]']
    .filter(Boolean)
    .join(' ')
}
