import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { age } from '../../output/cell.ts'
import { clean, cleanLine } from '../../output/clean.ts'

export default class AgentsGitLog extends ApiCommand<typeof AgentsGitLog> {
  static override summary = "Show the last commits of an agent's output folder"
  static override description =
    'At most 20, newest first. With --patch what each of them changed, cut where it is long.'
  static override examples = [
    '$ <%= config.bin %> agents git-log ada',
    '$ <%= config.bin %> agents git-log ada --patch --limit 1',
  ]
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = {
    patch: Flags.boolean({ char: 'p', description: 'with what each commit changed' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const query = this.flags.patch ? { patch: '1' } : {}
    const all = await this.api.agents.gitLog({ agentId: await agentId(this.api, this.args.agent), query })
    const commits = limited(all, this.flags)
    if (this.flags.patch && ['auto', 'table'].includes(this.out.wanted.format)) return this.patches(commits)
    await this.out.list(commits, {
      name: ({ hash }) => hash,
      empty: 'There are no commits.',
      columns: {
        ID: ({ hash }) => ({ text: hash.slice(0, 10), value: hash }),
        AUTHOR: ({ author }) => author,
        MESSAGE: ({ message }) => message.split('\n')[0],
        AGE: ({ date }) => age(date),
      },
    })
  }

  private patches(
    commits: readonly { hash: string; message: string; author: string; date: string; patch?: string }[],
  ): void {
    for (const { hash, message, author, date, patch } of commits) {
      const head = `${hash.slice(0, 10)}  ${cleanLine(author)}, ${cleanLine(date)}`
      this.out.text(`${this.out.paint('yellow', cleanLine(head))}\n\n${clean(message)}\n\n${clean(patch ?? '')}\n\n`)
    }
    if (!commits.length) this.out.note('There are no commits.')
  }
}
