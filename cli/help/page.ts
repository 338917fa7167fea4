import { type Command, CommandHelp } from '@oclif/core'
import { configOf, type Registry } from '../main.ts'

/** oclif's help of one command, with the usage in a line and the summary in its place alone. */
class Page extends CommandHelp {
  protected override usage(): string {
    return `$ muster ${usageOf(this.command)}`
  }

  protected override description(): string | undefined {
    return this.command.description
  }
}

/** Help of one command. */
export function ofCommand(id: string, registry: Registry): string {
  const command = { ...registry.describe(id), load: async () => undefined as never }
  const page = new Page(command, configOf(registry), { maxWidth: Math.min(process.stdout.columns || 80, 110) } as never)
  return `${command.summary ?? ''}\n\n${page.generate()}\n`
}

/** What must be given stands in the usage; what may be is listed below it. */
function usageOf({ id, args, flags, strict }: Command.Cached): string {
  const dots = strict === false ? '...' : ''
  const words = Object.values(args).map(({ name, required }) =>
    required ? `${name.toUpperCase()}${dots}` : `[${name.toUpperCase()}${dots}]`,
  )
  const needed = Object.values(flags).filter((flag) => flag.required)
  const values = needed.map(
    (flag) => `--${flag.name} ${('helpValue' in flag && flag.helpValue) || flag.name.toUpperCase()}`,
  )
  return [id.replaceAll(':', ' '), ...words, ...values, '[FLAGS]'].join(' ')
}
