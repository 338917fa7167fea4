import { ApiCommand } from '../command.ts'

export default class Whoami extends ApiCommand<typeof Whoami> {
  static override summary = 'Show the signed-in user and the workspace in use'
  static override result = {
    members: ['user_email', 'user_name', 'server', 'workspace', 'workspace.*', 'workspaces_count'],
  }
  static override examples = ['$ <%= config.bin %> whoami', '$ <%= config.bin %> whoami --jq .workspace.role']

  async run(): Promise<void> {
    const { target, workspace: chosen } = this.session
    const [user, workspaces] = await Promise.all([
      this.api.users.me(),
      this.api.workspaces.list({ query: { limit: 500 } }),
    ])
    const found = workspaces.find(({ id, slug }) => chosen === id || chosen === slug)
    const workspace = found && { id: found.id, name: found.name, slug: found.slug, role: found.currentUserRole ?? null }
    const identity = {
      user_email: user.email,
      user_name: user.full_name,
      server: target.key,
      workspace: workspace ?? null,
      workspaces_count: workspaces.length,
    }
    await this.out.show(identity, {
      name: ({ user_email }) => user_email,
      columns: {
        User: (it) =>
          it.user_name ? { text: `${it.user_email} (${it.user_name})`, value: it.user_email } : it.user_email,
        Server: (it) => it.server,
        Workspace: (it) =>
          it.workspace?.slug ?? {
            text: chosen ? `${chosen}, to which you do not belong` : 'none',
            value: null,
            tone: 'yellow',
          },
        Role: (it) => it.workspace?.role?.toLowerCase(),
        Workspaces: (it) => it.workspaces_count,
      },
    })
  }
}
