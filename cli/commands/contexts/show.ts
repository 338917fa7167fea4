import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { need } from '../../contexts/change.ts'
import { readContexts } from '../../contexts/file.ts'
import { configFile } from '../../paths.ts'
import { contextMembers, contextView, rowOf } from '../../views/contexts.ts'

export default class ContextsShow extends ApiCommand<typeof ContextsShow> {
  static override summary = 'Show the server, user and workspace in use, and why'
  static override result = {
    members: [...contextMembers, 'context', 'server_from', 'workspace_from', 'token_from'],
  }
  static override examples = ['$ <%= config.bin %> contexts show', '$ <%= config.bin %> contexts show work']
  static override args = { context: Args.string({ description: 'name of a context (default: the one in use)' }) }

  async run(): Promise<void> {
    const name = this.args.context
    if (name === undefined) return this.showUsed()
    const file = await readContexts(configFile())
    await this.out.show(rowOf(name, need(file, name), file.current === name), contextView)
  }

  private async showUsed(): Promise<void> {
    const { target, serverOrigin, context, token, tokenOrigin, workspace, workspaceOrigin } = this.session
    const used = {
      context: context ?? null,
      server: target.key,
      server_from: serverOrigin,
      workspace: workspace ?? null,
      workspace_from: workspaceOrigin ?? null,
      has_token: Boolean(token),
      token_from: tokenOrigin ?? null,
    }
    const from = (value: string, origin: string | null) => ({
      text: origin ? `${value} (from ${origin})` : value,
      value,
    })
    await this.out.show(used, {
      name: (it) => it.context ?? it.server,
      columns: {
        Context: (it) => it.context ?? 'none',
        Server: (it) => from(it.server, it.server_from),
        Workspace: (it) => (it.workspace ? from(it.workspace, it.workspace_from) : 'none'),
        Token: (it) => (it.has_token ? from('set', it.token_from) : { text: 'none', tone: 'yellow' as const }),
      },
    })
  }
}
