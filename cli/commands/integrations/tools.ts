import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { crewFlag } from '../../integrations/flags.ts'
import { ServerTools, toolCalled } from '../../integrations/tools.ts'
import { type Tool, toolView } from '../../views/integration-tools.ts'

const signals = { SIGTERM: 143, SIGHUP: 129 } as const

const toolFlag = (description: string) =>
  Flags.string({ multiple: true, multipleNonGreedy: true, helpValue: 'TOOL', description })

export default class IntegrationsTools extends ApiCommand<typeof IntegrationsTools> {
  static override summary = 'List the tools of an MCP server, and say which of them agents may use'
  static override description =
    'At a terminal it shows switches: the arrows move, Space turns on and off, `a` approves, Enter saves. Elsewhere, ' +
    'and with --json and similar flags, it lists them. A tool that its server changed is held: agents cannot call it ' +
    'until it is approved. With TOOL it shows that one, and what the server changed of it.'
  static override result = { of: ['integrations.tools'] }
  static override hiddenAliases = [
    'integrations:tools-in-crew',
    'integrations:set-tool',
    'integrations:set-tool-in-crew',
    'integrations:refresh-tools',
    'integrations:refresh-tools-in-crew',
    'integrations:decide-tools',
    'integrations:decide-tools-in-crew',
  ]
  static override examples = [
    '$ <%= config.bin %> integrations tools search',
    '$ <%= config.bin %> integrations tools search --refresh',
    '$ <%= config.bin %> integrations tools search find',
    '$ <%= config.bin %> integrations tools search --disable delete --approve find',
    '$ <%= config.bin %> integrations tools search --approve-all --refuse delete',
  ]
  static override args = {
    integration: Args.string({ required: true, description: 'name of the integration' }),
    tool: Args.string({ description: 'one tool of it' }),
  }
  static override flags = {
    ...crewFlag,
    refresh: Flags.boolean({ description: 'read the list from the server first' }),
    enable: toolFlag('switch this tool on; may be repeated'),
    disable: toolFlag('switch this tool off; may be repeated'),
    approve: toolFlag('let agents use this held tool as it is now; may be repeated'),
    'approve-all': Flags.boolean({ description: 'let agents use all tools that are held now' }),
    refuse: toolFlag('switch this held tool off; may be repeated'),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { crew, refresh, enable, disable, approve, refuse } = this.flags
    const server = await ServerTools.of(this.api, this.args.integration, crew)
    if (refresh) await this.refresh(server)
    const known = await server.list()
    const { 'approve-all': all } = this.flags
    const isMeant = ({ held_since, tool_name }: Tool) => held_since !== null && !refuse?.includes(tool_name)
    const held = all ? known.filter(isMeant).map((row) => row.tool_name) : []
    const approved = [...new Set([...(approve ?? []), ...held])]
    const changes = all || [enable, disable, approve, refuse].some((names) => names?.length)
    if (changes) await server.change({ enable, disable, approve: approved, refuse }, known)
    if (all) this.out.note(held.length ? `Approved ${held.length} held.` : 'No tool is held.', 'green')
    const rows = changes ? await server.list() : known
    const { tool } = this.args
    if (tool !== undefined) return await this.out.show(toolCalled(rows, tool, this.args.integration), toolView)
    const isQuick = changes || refresh || this.flags.limit !== undefined || !rows.length
    if (this.atTerminal && !isQuick) return await this.choose(server, rows)
    await this.out.list(limited(rows, this.flags), toolView)
  }

  private async refresh(server: ServerTools): Promise<void> {
    const { created, updated, removed, held, left_out } = await this.progress('Asking the server', server.refresh())
    const left = left_out ? `, ${left_out} left out` : ''
    this.out.note(`Read the tools: ${created} new, ${updated} changed, ${removed} gone, ${held} held${left}.`, 'green')
  }

  private async choose(server: ServerTools, rows: Tool[]): Promise<void> {
    const { Switches } = await import('../../integrations/switches.ts')
    const { SwitchScreen } = await import('../../integrations/switch-screen.ts')
    const switches = new Switches(rows)
    const leave = new AbortController()
    for (const [signal, code] of Object.entries(signals)) process.once(signal, () => leave.abort(code))
    const end = await new SwitchScreen(switches, process.stdin, process.stdout).run(leave.signal)
    if (typeof end === 'number') return this.finish(end)
    if (end === 'leave') return this.out.note(switches.count ? 'Nothing was changed.' : 'Nothing to save.', 'dim')
    await server.change(switches.changes(), rows)
    this.out.note(`Saved ${switches.count} ${switches.count === 1 ? 'change' : 'changes'}.`, 'green')
  }
}
