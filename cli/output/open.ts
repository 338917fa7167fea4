import { type FormatFlags, wanted } from './format.ts'
import { type Members, requireMembers } from './members.ts'
import { Printer, type Screen } from './printer.ts'

interface PrinterFlags extends FormatFlags {
  'no-pager'?: boolean
}

/**
 * The printer that the flags ask for. What could be refused of them is refused now, before anything is asked of the
 * server: a change must not be made whose answer is not shown then.
 */
export async function openPrinter(
  flags: PrinterFlags,
  { members: known, shown }: { members: () => Members | undefined; shown: NonNullable<Screen['shown']> },
): Promise<Printer> {
  const form = wanted(flags)
  if (form.jq !== undefined) await (await import('./jq.ts')).checkJq(form.jq)
  const template = form.template === undefined ? undefined : (await import('./template.ts')).readTemplate(form.template)
  const fields = [...form.fields, ...(template?.fields ?? [])]
  const members = fields.length ? known() : undefined
  if (members) requireMembers(fields, [...members.of, ...(members.rows ?? [])])
  return new Printer(form, {
    stdout: process.stdout,
    pager: !flags['no-pager'],
    quiet: flags.quiet === true,
    members,
    template,
    shown,
  })
}
